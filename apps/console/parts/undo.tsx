/** For a minute after a note: the way back. */
import { Button, Group, Paper, Text } from '@mantine/core';
import { useSession } from '../api.js';
import { counted } from '../format.js';
import { type SentNote, sentNotes, takeBack } from '../undo.js';
import { useAction } from './action.js';
import { useKeys } from './keys.js';
import { Failure } from './page.js';

const NAMES = { claim: ['claim', 'claims'], finding: ['finding', 'findings'] } as const;

export function Undo() {
  const notes = sentNotes.use();
  const latest = notes.at(-1);
  // What is said of one note is not said of the next.
  return latest ? <UndoOf key={`${latest.draft} ${latest.items[0]?.review?.at}`} note={latest} /> : null;
}

function UndoOf({ note }: { note: SentNote }) {
  const { client } = useSession();
  const { run, running, error } = useAction(() => takeBack(client, note));
  useKeys({ z: () => run(undefined) });
  const items = counted(note.items.length, NAMES[note.of]);
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
