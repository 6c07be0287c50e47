/** An operator's note beside a claim or a finding: it changes no verdict, no label and no threshold. */
import { Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useRef } from 'react';
import type { FindingNote, Review, ReviewNote } from '#client';
import { useSession } from '../api.js';
import { type Draft, useDraft } from '../drafts.js';
import { mayReview } from '../session.js';
import { keepForUndo, type Noted as NotedOn, review, type SentNote } from '../undo.js';
import { inWords, meaningOf } from '../words.js';
import { useAction } from './action.js';
import { useKeys } from './keys.js';
import { Failure } from './page.js';
import { Muted, Status, Time } from './show.js';

/** Outcomes that are asked for, each with its key. */
const OUTCOMES = {
  claim: {
    asks: 'Did the answer of the service hold up?',
    keys: { c: 'confirmed', w: 'wrong', i: 'inconclusive' },
  },
  finding: {
    asks: 'What came of it?',
    keys: { e: 'explained', a: 'client_asked', r: 'key_revoked', m: 'no_matter' },
  },
} as const;

/** The latest note. */
export function Noted({ review }: { review: ReviewNote | FindingNote | null }) {
  if (!review) return <Muted>No note yet.</Muted>;
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

/** Other operators who have the item before them now. */
export const LookedAtBy = ({ others }: { others: readonly string[] | undefined }) =>
  others === undefined || others.length === 0 ? null : (
    <Text size="sm" role="status" className="long">
      {others.join(', ')} {others.length === 1 ? 'looks' : 'look'} at it too.
    </Text>
  );

interface ReviewFormProps {
  on: NotedOn;
  ids: readonly string[];
  /** A note that was begun is kept under it: the item's id, where there is one item. */
  draft?: string;
  /** Once it is noted. */
  then?: () => void;
}

/** One note for all items: where one fails, those before it have theirs. Nothing for a key that only reads. */
export function ReviewForm({ on, ids, draft = ids[0], then }: ReviewFormProps) {
  const here = useSession();
  const [typed, setDraft] = useDraft(draft);
  const { note, outcome } = typed;
  const { asks, keys } = OUTCOMES[on];
  // What was typed comes with the call: this function may be that of an earlier drawing.
  const send = async (typed: Draft) => {
    const said = { note: typed.note.trim(), ...(typed.outcome && { outcome: typed.outcome }) } as Review;
    const items: SentNote['items'] = [];
    try {
      for (const id of ids) items.push({ id, review: await review(here.client, on, id, said) });
    } finally {
      if (items.length > 0) keepForUndo({ of: on, draft, typed, items });
    }
  };
  const { submit, running, error } = useAction(send, () => {
    setDraft({ note: '', outcome: undefined });
    then?.();
  });
  const writing = useRef<HTMLTextAreaElement>(null);
  useKeys({
    ...Object.fromEntries(Object.entries(keys).map(([key, outcome]) => [key, () => setDraft({ outcome })])),
    n: () => writing.current?.focus(),
  });
  if (!mayReview(here)) return null;
  return (
    <form onSubmit={submit(typed)}>
      <Stack gap="xs">
        <Radio.Group
          label="Outcome"
          description={asks}
          value={outcome ?? ''}
          onChange={(outcome) => setDraft({ outcome })}
        >
          <Group gap="md" mt={6}>
            {Object.values(keys).map((one) => (
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
