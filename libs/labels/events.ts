import { type EventIn, event, type StreamRule } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { boolean, described } from '#domain/schemas';
import { aLabel, aVerdict, claimId } from '#domain/shapes';
import { streamPrefixes } from '#domain/streams';

const labelStream: StreamRule<unknown> = {
  name: 'labels-{key id}',
  is: (stream) => stream.startsWith(streamPrefixes.labels),
};
const labelling = {
  claim_id: claimId,
  verdict: described(aVerdict, 'what the service had said'),
  agrees: described(boolean, 'whether the label agrees with it'),
  label: described(aLabel, 'what holds now ([label](#label))'),
};

/** Events of labels. */
export const labelEvents = {
  ClaimLabelled: event(1, labelStream, 'a claim got its first label', labelling),
  LabelAmended: event(1, labelStream, 'a labelled claim got another label', {
    ...labelling,
    previous: described(aLabel, 'what held before ([label](#label))'),
  }),
};

export type ClaimLabelled = EventIn<typeof labelEvents, 'ClaimLabelled'>;
export type LabelAmended = EventIn<typeof labelEvents, 'LabelAmended'>;
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
