/** A queue that several operators work through: the item that is looked at, and the steps from one to the next. */
import { Alert, Button, Group } from '@mantine/core';
import { useCallback, useRef } from 'react';
import type { FindingNote, ReviewNote } from '#client';
import { useFilters } from './filters.js';
import { useKeys } from './keys.js';
import { Noted } from './review.js';

export const CHOICE = {
  of: { label: 'Of', values: ['claims', 'findings'] },
  at: { label: 'At', kind: 'text' },
} as const;
export const reviewAt = (at: string, of?: string) => `/review?${new URLSearchParams({ ...(of && { of }), at })}`;

/**
 * The chosen one of a list, which the address keeps; the first where it names none. One that is gone from the list, as
 * others work through it too, stays in sight until its reader goes on: to what stands in its place.
 * @param isNew false while rows of before are shown and asked for again
 */
export function useChosen<T>(rows: readonly T[], keyOf: (row: T) => string, isNew: boolean) {
  const [{ at }, set] = useFilters(CHOICE);
  const head = rows[0] && keyOf(rows[0]);
  const first = useRef<string>(undefined);
  if (isNew) first.current ??= head;
  const chosen = at ?? first.current ?? head;
  const found = rows.findIndex((row) => keyOf(row) === chosen);
  const place = useRef(0);
  if (found >= 0) place.current = found;
  const go = useCallback(
    (by: number) => {
      const next = found >= 0 || by < 0 ? place.current + by : place.current;
      const to = rows[Math.min(Math.max(next, 0), rows.length - 1)];
      if (to !== undefined) set('at', keyOf(to));
    },
    [rows, found, set, keyOf],
  );
  useKeys({ j: () => go(1), k: () => go(-1) });
  return { chosen, gone: chosen !== undefined && found < 0 && rows.length > 0, go };
}

export const Steps = ({ go }: { go: (by: number) => void }) => (
  <Group gap={4}>
    <Button size="xs" variant="default" onClick={() => go(-1)} title="key k">
      Before
    </Button>
    <Button size="xs" variant="default" onClick={() => go(1)} title="key j">
      Next
    </Button>
  </Group>
);

/** In place of an item that left the queue while it was looked at. */
export const Taken = ({ review }: { review: ReviewNote | FindingNote | null }) => (
  <Alert color="yellow" variant="outline" role="status" title="It no longer waits">
    <Noted review={review} />
  </Alert>
);
