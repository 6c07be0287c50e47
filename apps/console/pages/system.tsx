/** The service behind its readiness: each part with its figures, views with their lag, models, workers, and the log's check. */
import { Anchor, Button, Grid, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { HealthDetail, Models, View } from '#client';
import { useHealth, useModels, useSession } from '../api.js';
import { count, digest } from '../format.js';
import { useAction } from '../parts/action.js';
import { Dialogue } from '../parts/dialogue.js';
import { Hint } from '../parts/hint.js';
import { Answer, Failure, Page, Section } from '../parts/page.js';
import { ShortTable } from '../parts/short-table.js';
import { Facts, Mark, Muted, Status, Time } from '../parts/show.js';
import { mayOperate } from '../session.js';

export default function System() {
  const health = useHealth();
  const models = useModels();
  return (
    <Page
      title="System"
      aside={
        <Anchor component={Link} to="/system/log" size="sm">
          Streams of the log
        </Anchor>
      }
    >
      <Answer to={health}>
        {(of) => (
          <Grid>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Parts of={of} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Answer to={models}>{(all) => <ModelList of={all} />}</Answer>
            </Grid.Col>
            <Grid.Col span={12}>
              <Views of={of} />
            </Grid.Col>
            <Grid.Col span={12}>
              <Damage of={of} />
            </Grid.Col>
          </Grid>
        )}
      </Answer>
    </Page>
  );
}

function Parts({ of: { version, engine, parts } }: { of: HealthDetail }) {
  const { event_log, disk, scoring, log_seal, log_check, log_output, operators } = parts;
  const state = ({ status, reason }: { status: string; reason?: string }) => (
    <>
      <Status code={status} /> {reason && <Muted>{reason}</Muted>}
    </>
  );
  return (
    <Section title="Parts">
      <Facts
        of={[
          ['version', version],
          [<Hint text={engine.reason}>engine</Hint>, engine.engine],
          [
            'event log',
            <>
              {state(event_log)} {event_log.position && <Muted>at position {event_log.position}</Muted>}
            </>,
          ],
          ['disk', state(disk)],
          [
            'scoring',
            <>
              {state(scoring)}{' '}
              <Muted>
                {count(scoring.waiting ?? 0)} waiting, {count(scoring.active ?? 0)} in work
                {scoring.workers !== undefined && `, ${count(scoring.workers)} workers`}
              </Muted>
            </>,
          ],
          [
            <Hint text="Each event carries a seal of the service; a row without one that fits is damage.">
              log seal
            </Hint>,
            <Muted>{count(log_seal.damaged)} damaged rows</Muted>,
          ],
          log_check && [
            <Hint text="The look through the whole event log, again and again in the background; after a start it goes on where it was.">
              log check
            </Hint>,
            <>
              {state(log_check)}{' '}
              <Muted>
                {log_check.checked !== null && `${log_check.checked} of ${log_check.head} looked at, `}
                {count(log_check.damaged)} damaged
                {log_check.whole_at !== null && `, whole on ${log_check.whole_at.slice(0, 10)}`}
              </Muted>
            </>,
          ],
          log_output && [
            'log output',
            <>
              <Status code={log_output.status} />{' '}
              {log_output.dropped > 0 && <Muted>{count(log_output.dropped)} lines dropped</Muted>}
            </>,
          ],
          operators && ['replicas for operators', <Status code={operators.status} />],
        ]}
      />
    </Section>
  );
}

function ModelList({ of }: { of: Models }) {
  const shadows = Object.entries(of.shadow_claims);
  return (
    <Section title="Models and workers">
      <Stack>
        {of.installed.map(({ model, name, live, shadow, scope, populations_falling_back: falling }) => (
          <Stack key={model} gap={2}>
            <Text size="sm" fw={600} title={model}>
              {name} {digest(model)}{' '}
              <Mark tone={live ? 'good' : shadow ? 'ask' : 'plain'}>{live ? 'live' : shadow ? 'shadow' : 'idle'}</Mark>
            </Text>
            <Muted>{scope}</Muted>
            {falling.length > 0 && (
              <Muted>
                As the live one it would let fall back: {falling.map(({ population }) => population).join(', ')}
              </Muted>
            )}
          </Stack>
        ))}
        <Facts
          of={[
            of.switched && [
              'last switch',
              <>
                <Time at={of.switched.at} />{' '}
                <Muted>
                  by {of.switched.operator}: {of.switched.reason}
                </Muted>
              </>,
            ],
            [
              'shadow claims',
              shadows.length === 0 ? (
                <Muted>none since the start</Muted>
              ) : (
                shadows.map(([outcome, claims]) => `${outcome.replaceAll('_', ' ')} ${count(claims)}`).join(', ')
              ),
            ],
            [
              'workers',
              of.workers.length === 0 ? (
                <Muted>scored in the service’s own threads</Muted>
              ) : (
                of.workers.map(({ id, engine, models }) => (
                  <div key={id}>
                    {id}{' '}
                    <Muted>
                      {engine}, models {models.map(digest).join(', ')}
                    </Muted>
                  </div>
                ))
              ),
            ],
          ]}
        />
      </Stack>
    </Section>
  );
}

/** Number of events of the log that a view has still to read. */
const lagOf = ({ position }: View, head: string | undefined) =>
  head === undefined ? undefined : Math.max(0, Number(head) - Number(position));

function Views({ of }: { of: HealthDetail }) {
  const here = useSession();
  const [stopped, setStopped] = useState<View>();
  const head = of.parts.event_log.position;
  return (
    <Section
      title="Views"
      meaning="Files that listings are read from, made out of the log: they can be made again at any time."
      aside={
        <Anchor component={Link} to="/system/log?stream=views" size="sm">
          events passed over
        </Anchor>
      }
    >
      <ShortTable
        label="list of views"
        heads={['View', 'State', 'Position', <Hint text="Events of the log that it has still to read.">Lag</Hint>]}
        numbersFrom={2}
        rows={of.parts.views.map((view) => [
          <>
            {view.name} <Muted>version {view.version}</Muted>
          </>,
          <>
            <Status code={stateOf(view)} />
            {view.failure && (
              <Text size="sm" className="long">
                {view.failure}
              </Text>
            )}
            {view.failure && mayOperate(here) && (
              <Button size="compact-xs" variant="default" onClick={() => setStopped(view)}>
                Pass over the event
              </Button>
            )}
          </>,
          view.position,
          lagOf(view, head) ?? '–',
        ])}
      />
      <Dialogue title="Pass over an event" opened={stopped !== undefined} close={() => setStopped(undefined)}>
        {stopped && <PassOver view={stopped} close={() => setStopped(undefined)} />}
      </Dialogue>
    </Section>
  );
}

const stateOf = ({ failure, rebuilding, caughtUp }: View) =>
  failure !== undefined ? 'stopped' : rebuilding ? 'rebuilding' : caughtUp ? 'ok' : 'catching_up';

function PassOver({ view, close }: { view: View; close: () => void }) {
  const { client } = useSession();
  const [reason, setReason] = useState('');
  // The view stands before the event that it cannot take; its failure names it.
  const position = /at position (\d+)/.exec(view.failure ?? '')?.[1] ?? '';
  const { submit, running, error } = useAction(() => client.skipEvent({ position, reason: reason.trim() }), close);
  return (
    <form onSubmit={submit(undefined)}>
      <Stack>
        <Text size="sm" className="long">
          {view.failure}
        </Text>
        <Textarea
          label="Reason"
          description={`The views go on after position ${position}. Your name and the reason are stored.`}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          required
          withAsterisk={false}
          data-autofocus
        />
        {error ? <Failure error={error} /> : null}
        <Button type="submit" loading={running} disabled={reason.trim() === ''}>
          Pass over position {position}
        </Button>
      </Stack>
    </form>
  );
}

/** Events that were found damaged, and calibration events that decide nothing. */
function Damage({ of: { parts } }: { of: HealthDetail }) {
  const checked = parts.log_check?.damage ?? [];
  const met = parts.log_seal.damaged_rows.filter(({ position }) => checked.every((one) => one.position !== position));
  const damage = [...checked, ...met];
  const { not_obeyed_events: passed = [], models_not_installed: missing = [] } = parts.calibration ?? {};
  return (
    <Section title="Events that want a look">
      <Stack gap={6}>
        {damage.length + passed.length + missing.length === 0 && <Muted>None.</Muted>}
        {damage.map(({ position, stream, type, problem }) => (
          <Text key={position} size="sm" className="long">
            <Status code="damaged" /> position {position}
            {stream && <StreamLink of={stream} />} {type}: {problem}
          </Text>
        ))}
        {passed.map(({ position, stream, type, problem }) => (
          <Text key={position} size="sm" className="long">
            <Mark tone="doubt">decides nothing</Mark> position {position} <StreamLink of={stream} /> {type}: {problem}
          </Text>
        ))}
        {missing.map(({ population, model }) => (
          <Text key={`${population} ${model}`} size="sm" className="long">
            <Mark tone="doubt">model not installed</Mark> {population} was approved under {digest(model)}
          </Text>
        ))}
      </Stack>
    </Section>
  );
}

const StreamLink = ({ of }: { of: string }) => (
  <Anchor component={Link} to={`/system/log?${new URLSearchParams({ stream: of })}`} size="sm">
    {of}
  </Anchor>
);
