/** An operator's note beside a claim or a finding: it changes no verdict, no label and no threshold. */
import { Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useRef } from 'react';
import type { Review, ReviewNote } from '#client';
import { useSession } from '../api.js';
import { useDraft } from '../drafts.js';
import { mayOperate } from '../session.js';
import { inWords, meaningOf } from '../words.js';
import { useAction } from './action.js';
import { useKeys } from './keys.js';
import { Failure } from './page.js';
import { Muted, Status, Time } from './show.js';

const OUTCOMES = ['confirmed', 'wrong', 'inconclusive'] as const;

/** The latest note. */
export function Noted({ review }: { review: ReviewNote | null }) {
  if (!review) return <Muted>Nobody has noted anything yet.</Muted>;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        {review.outcome && <Status code={review.outcome} />}
        <Muted>
          {review.operator}, <Time at={review.at} />
        </Muted>
      </Group>
      <Text size="sm" className="long" style={{ whiteSpace: 'pre-wrap' }}>
        {review.note}
      </Text>
    </Stack>
  );
}

interface ReviewFormProps {
  /** Id of the item: a note that was begun stays with it. */
  of: string;
  send: (review: Review) => Promise<unknown>;
  /** Once it is noted. */
  then?: () => void;
}

/** Nothing for a key that only reads. */
export function ReviewForm({ of, send, then }: ReviewFormProps) {
  const here = useSession();
  const [{ note, outcome }, setDraft] = useDraft(of);
  const setOutcome = (outcome: Review['outcome']) => setDraft({ outcome });
  const { run, running, error } = useAction(send, () => {
    setDraft({ note: '', outcome: undefined });
    then?.();
  });
  const writing = useRef<HTMLTextAreaElement>(null);
  useKeys({
    c: () => setOutcome('confirmed'),
    w: () => setOutcome('wrong'),
    i: () => setOutcome('inconclusive'),
    n: () => writing.current?.focus(),
  });
  if (!mayOperate(here)) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run({ note: note.trim(), ...(outcome && { outcome: outcome as Review['outcome'] }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Radio.Group
          label="Outcome"
          description="Did the answer of the service hold up?"
          value={outcome ?? ''}
          onChange={(to) => setOutcome(to as Review['outcome'])}
        >
          <Group gap="md" mt={6}>
            {OUTCOMES.map((one) => (
              <Radio key={one} value={one} label={inWords(one)} title={meaningOf(one)} />
            ))}
          </Group>
        </Radio.Group>
        <Textarea
          ref={writing}
          label="Note"
          value={note}
          onChange={({ currentTarget }) => setDraft({ note: currentTarget.value })}
          onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
            if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
          }}
          autosize
          minRows={2}
          required
          withAsterisk={false}
          maxLength={2000}
        />
        {error ? <Failure error={error} /> : null}
        <Group>
          <Button type="submit" loading={running} disabled={note.trim() === ''}>
            Note it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
