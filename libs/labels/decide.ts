import { type Static, Type } from 'typebox';
import type { Verdict } from '#claims/events';
import { limits } from '#config/limits';
import type { Decider } from '#domain/decider';
import { isSoundText, one, optional, orNull } from '#domain/schemas';
import { EXPECTED, VERDICTS } from '#domain/shapes';
import { cleanReference, cleanText } from '#science/spectra/names';
import { type Expected, evolveLabels, type Label, type LabelEvent, type LabelState, noLabels } from './events.js';

/** The answer for one item, in the request's order. */
export const labelResult = Type.Object(
  {
    claim_id: orNull(Type.String({ description: 'as sent' })),
    status: one('accepted', 'duplicate', 'amended', 'rejected'),
    expected: orNull(one(...EXPECTED)),
    verdict: orNull(one(...VERDICTS)),
    agrees: orNull(Type.Boolean({ description: 'whether the label agrees with the verdict' })),
    reason: optional(Type.String({ description: 'why it is rejected' })),
    stone_id: optional(Type.String({ description: 'as sent' })),
  },
  { $id: 'LabelResult' },
);
export type LabelResult = Static<typeof labelResult>;
export type LabelStatus = LabelResult['status'];

export interface LabelClaims {
  type: 'label';
  /** As they came; anything may stand in them. */
  items: readonly unknown[];
  /** Verdict of this key's scored claims; undefined for every other claim id. */
  verdictOf(claimId: string): Verdict | undefined;
  requestId: string;
  at: string;
}

/** Never refuses a call: each item has its own answer. Later items see what earlier ones did. */
export function decideLabels(state: LabelState, command: LabelClaims): { answer: LabelResult[]; events: LabelEvent[] } {
  const events: LabelEvent[] = [];
  const decided = new Map<string, Label>();
  const answer = command.items.map((item): LabelResult => {
    const read = readItem(item);
    const claim_id = read.claimId ?? null;
    const verdict = (read.claimId !== undefined && command.verdictOf(read.claimId)) || null;
    const rejected = (reason: string): LabelResult => ({
      claim_id,
      status: 'rejected',
      expected: read.expected ?? null,
      verdict,
      agrees: null,
      reason,
    });
    if (claim_id === null || verdict === null) return rejected('unknown claim_id');
    if (read.expected === undefined) return rejected('expected must be match or no_match');
    if (read.reason !== undefined) return rejected(read.reason);

    const { expected } = read;
    const previous = decided.get(claim_id) ?? state.get(claim_id)?.at(-1);
    // Only what was sent is amended: a reference or note left out stays as it was.
    const { stone_id = previous?.stone_id, note = previous?.note } = read;
    const agrees = (verdict === 'MATCH') === (expected === 'match');
    const resultOf = (status: LabelStatus): LabelResult => ({
      claim_id,
      status,
      expected,
      verdict,
      agrees,
      ...(stone_id !== undefined && { stone_id }),
    });
    if (previous && saysNothingNew(previous, read)) return resultOf('duplicate');
    const label: Label = {
      expected,
      ...(stone_id !== undefined && { stone_id }),
      ...(note !== undefined && { note }),
      request_id: command.requestId,
      at: command.at,
    };
    decided.set(claim_id, label);
    events.push(
      previous
        ? { type: 'LabelAmended', version: 1, data: { claim_id, verdict, agrees, label, previous } }
        : { type: 'ClaimLabelled', version: 1, data: { claim_id, verdict, agrees, label } },
    );
    return resultOf(previous ? 'amended' : 'accepted');
  });
  return { answer, events };
}

export const labelDecider: Decider<LabelState, LabelClaims, LabelEvent, never, LabelResult[]> = {
  // A fresh one each time: labels are folded in place.
  get initial() {
    return noLabels();
  },
  evolve: evolveLabels,
  decide: decideLabels,
};

/** A field left out says nothing; another stone or note is an amendment, so that nothing a caller sent is dropped. */
function saysNothingNew(held: Label, sent: Partial<Label>): boolean {
  return (
    sent.expected === held.expected &&
    (sent.stone_id === undefined || sent.stone_id === held.stone_id) &&
    // Notes were once held as they came.
    (sent.note === undefined || sent.note === (held.note && cleanText(held.note)))
  );
}

interface ReadItem {
  claimId?: string;
  expected?: Expected;
  stone_id?: string;
  note?: string;
  /** The reason why the rest cannot be taken. */
  reason?: string;
}

function readItem(item: unknown): ReadItem {
  if (typeof item !== 'object' || item === null) return {};
  const { claim_id, expected, stone_id, note } = item as Record<string, unknown>;
  const read: ReadItem = {};
  if (typeof claim_id === 'string') read.claimId = claim_id;
  if (expected === 'match' || expected === 'no_match') read.expected = expected;
  if (typeof stone_id === 'string') {
    const clean = cleanReference(stone_id);
    if (clean !== '') read.stone_id = clean;
  } else if (stone_id !== undefined && stone_id !== null) read.reason = 'stone_id must be a string';
  if (typeof note === 'string') {
    if (Array.from(note).length > limits.noteCharacters) {
      read.reason = `note is longer than ${limits.noteCharacters} characters`;
    } else if (!isSoundText(note)) read.reason = 'note holds what is no text';
    else if (cleanText(note) !== '') read.note = cleanText(note);
  } else if (note !== undefined && note !== null) read.reason = 'note must be a string';
  return read;
}
