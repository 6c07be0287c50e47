/** Events of the log, oldest first: what happened, when, by whom, and all of it where it is asked for. */
import { Group, Stack, Text } from '@mantine/core';
import { rung } from '../format.js';
import { inWords } from '../words.js';
import { Mark, Time } from './show.js';

/** As the log shows an event. */
export interface ShownEvent {
  type: string;
  position: string;
  recorded_at: string;
  data: Record<string, unknown>;
}

/** An event in a line, where it says something beside its name. */
function gist({ type, data }: ShownEvent): string {
  const text = (name: string) => (typeof data[name] === 'string' ? (data[name] as string) : undefined);
  const result = data.result as { verdict?: string; fused_score?: number } | undefined;
  const parts = [
    data.claim_id === undefined && typeof data.reject_target === 'number' && rung(data.reject_target),
    result?.verdict && `${inWords(result.verdict)}, score ${result.fused_score?.toFixed(4)}`,
    text('expected') && `as ${inWords(text('expected')!)}`,
    text('outcome') && inWords(text('outcome')!),
    text('note') ?? text('reason'),
    text('operator') && `by ${text('operator')}`,
    type === 'ClaimShadowScored' && text('model') && `model ${text('model')!.slice(0, 12)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

export function History({ of }: { of: readonly object[] }) {
  return (
    <Stack gap={6} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
      {(of as ShownEvent[]).map((event) => (
        <li key={event.position}>
          <details>
            <summary>
              <Group component="span" display="inline-flex" gap="xs" className="figures">
                <Text component="span" size="sm" c="dimmed">
                  <Time at={event.recorded_at} />
                </Text>
                <Mark title={event.type}>{inWords(event.type)}</Mark>
                <Text component="span" size="sm" className="long">
                  {gist(event)}
                </Text>
              </Group>
            </summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
            <section className="event" tabIndex={0} aria-label={`${event.type} as stored`}>
              <pre>{JSON.stringify(event, null, 2)}</pre>
            </section>
          </details>
        </li>
      ))}
    </Stack>
  );
}
