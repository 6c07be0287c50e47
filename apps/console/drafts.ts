/** Notes that were begun and not sent: they are there again when one comes back to the item, as long as the tab is open. */
import { useSyncExternalStore } from 'react';
import { keepsTyped } from './release.js';

export interface Draft {
  note: string;
  outcome: string | undefined;
}

const EMPTY: Draft = { note: '', outcome: undefined };
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

keepsTyped(() => drafts.size > 0);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

function change(id: string, change: Partial<Draft>): void {
  const after = { ...(drafts.get(id) ?? EMPTY), ...change };
  if (after.note === '' && after.outcome === undefined) drafts.delete(id);
  else drafts.set(id, after);
  for (const listener of listeners) listener();
}

/** @param id of the item that the note is about */
export function useDraft(id: string): [draft: Draft, set: (change: Partial<Draft>) => void] {
  const draft = useSyncExternalStore(subscribe, () => drafts.get(id) ?? EMPTY);
  return [draft, (to) => change(id, to)];
}

/** Of a note that was taken back; one that was begun since stays. */
export function restoreDraft(id: string, draft: Draft): void {
  if (!drafts.has(id)) change(id, draft);
}

/** Those of an operator who signs out go with him. */
export const clearDrafts = (): void => drafts.clear();
