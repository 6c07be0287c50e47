/** For a minute after a note: the way back. */
import { Button, Group, Paper, Text } from '@mantine/core';
import { useSession } from '../api.js';
import { counted } from '../format.js';
import { sentNotes, takeBack } from '../undo.js';
import { useAction } from './action.js';
import { useKeys } from './keys.js';
import { Failure } from './page.js';

const NAMES = { claim: ['claim', 'claims'], finding: ['finding', 'findings'] } as const;

export function Undo() {
  const { client } = useSession();
  const notes = sentNotes.use();
  const latest = notes.at(-1);
  const { run, running, error } = useAction(() => (latest ? takeBack(client, latest) : Promise.resolve()));
  useKeys({ z: () => latest && run(undefined) });
  if (!latest) return null;
  const items = counted(latest.items.length, NAMES[latest.of]);
  return (
    // A reload would take the way back away.
    <Paper withBorder p="xs" className="undo" role="status" data-unsaved>
      <Group gap="sm" justify="space-between">
        <Text size="sm" className="long">
          Noted on {items}.
        </Text>
        <Button size="xs" variant="default" loading={running} onClick={() => run(undefined)} title="key z">
          Undo
        </Button>
      </Group>
      {error ? <Failure error={error} /> : null}
    </Paper>
  );
}
