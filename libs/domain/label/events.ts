import type { Verdict } from '../claim/events.js';
import { type Happened, never } from '../decider.js';

export type Expected = 'match' | 'no_match';

export interface Label {
  expected: Expected;
  stone_id?: string;
  note?: string;
  request_id: string;
  at: string;
}

interface Labelling {
  claim_id: string;
  /** The service's verdict, and whether the label agrees with it. */
  verdict: Verdict;
  agrees: boolean;
  label: Label;
}

export type ClaimLabelled = Happened<'ClaimLabelled', 1, Labelling>;
export type LabelAmended = Happened<'LabelAmended', 1, Labelling & { previous: Label }>;
export type LabelEvent = ClaimLabelled | LabelAmended;

/** A key's labels by claim id: every version, the one that holds last. */
export type LabelState = ReadonlyMap<string, readonly Label[]>;

export const noLabels = (): LabelState => new Map();

/** Adds to the state it is given and returns it: a stream of a hundred thousand labels is folded in one pass. */
export function evolveLabels(state: LabelState, event: LabelEvent): LabelState {
  const labels = state as Map<string, Label[]>;
  const { claim_id, label } = event.data;
  switch (event.type) {
    case 'ClaimLabelled':
      labels.set(claim_id, [label]);
      return state;
    case 'LabelAmended':
      labels.get(claim_id)?.push(label);
      return state;
    default:
      return never(event);
  }
}
