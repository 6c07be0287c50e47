import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type ClaimLabelled = EventOf<'ClaimLabelled'>;
export type LabelAmended = EventOf<'LabelAmended'>;
export type LabelEvent = ClaimLabelled | LabelAmended;

export type Label = ClaimLabelled['data']['label'];
export type Expected = Label['expected'];

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
