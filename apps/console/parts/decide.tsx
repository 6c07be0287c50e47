/** A decision that is kept for good: a reason, and one button. Not shown to those who only read. */
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../api.js';
import { mayOperate } from '../session.js';
import { useAction } from './action.js';
import { Failure } from './page.js';
import { Muted } from './show.js';

interface DecideProps {
  /** On the button. */
  label: string;
  /** The consequence, in a sentence. */
  says?: string;
  danger?: boolean;
  send: (reason: string) => Promise<unknown>;
}

export function Decide({ label, says, danger = false, send }: DecideProps) {
  const session = useSession();
  const [reason, setReason] = useState('');
  const { run, running, error } = useAction(send, () => setReason(''));
  if (!mayOperate(session)) return <Muted>Your key reads only: somebody who operates decides here.</Muted>;
  return (
    <Stack gap="xs">
      <Textarea
        label={`Reason to ${label.toLowerCase()}`}
        description={says}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={2000}
        autosize
        minRows={1}
      />
      <Group>
        <Button
          size="xs"
          color={danger ? 'red' : undefined}
          variant={danger ? 'outline' : 'filled'}
          loading={running}
          disabled={reason.trim() === ''}
          onClick={() => run(reason)}
        >
          {label}
        </Button>
      </Group>
      {error !== null && error !== undefined && <Failure error={error} />}
    </Stack>
  );
}
