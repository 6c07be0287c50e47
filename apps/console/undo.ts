/** Notes of the last minute, which their writer can take back; the text is then in the form again. */
import type { FindingNote, FindingReview, MatchVerification, Review, ReviewNote } from '#client';
import { type Draft, restoreDraft } from './drafts.js';
import { Store } from './store.js';

export type Noted = 'claim' | 'finding';

export interface SentNote {
  of: Noted;
  /** Id under which its draft is kept. */
  draft: string;
  typed: Draft;
  /** Items that it stands beside, each with the note as it was stored. */
  items: { id: string; review: ReviewNote | FindingNote | null }[];
}

const UNDO_MS = 60_000;

/** The latest last. */
export const sentNotes = new Store<readonly SentNote[]>([]);

export function keepForUndo(note: SentNote): void {
  sentNotes.set([...sentNotes.get(), note]);
  setTimeout(() => forget(note), UNDO_MS);
}

export const forgetNotes = (): void => sentNotes.set([]);
const forget = (note: SentNote) => sentNotes.set(sentNotes.get().filter((one) => one !== note));

/** An operator's word on an item. @returns the note as it is stored */
export async function review(client: MatchVerification, of: Noted, id: string, review: Review) {
  const item = of === 'claim' ? client.reviewClaim(id, review) : client.reviewFinding(id, review as FindingReview);
  return (await item).review;
}

/** @throws Error where somebody else has noted something since: that stays, and all others are taken back */
export async function takeBack(client: MatchVerification, note: SentNote): Promise<void> {
  const { of, draft, typed, items } = note;
  /** By item: who noted something since. */
  const others = new Map<string, string>();
  for (const { id, review: own } of items) {
    const { review: now } = of === 'claim' ? await client.claim(id) : await client.finding(id);
    // Taken back by an earlier try, which failed at another item.
    if (now?.outcome === 'taken_back') continue;
    if (now && (now.at !== own?.at || now.operator !== own?.operator)) {
      others.set(id, now.operator);
      continue;
    }
    await review(client, of, id, { note: 'taken back', outcome: 'taken_back' });
  }
  if (others.size < items.length) restoreDraft(draft, typed);
  if (others.size > 0) {
    const names = [...new Set(others.values())];
    const have = names.length === 1 ? 'has' : 'have';
    throw new Error(`${names.join(' and ')} ${have} noted something since: your note stays in the history there.`);
  }
  forget(note);
}
