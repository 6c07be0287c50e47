import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type ModelSwitched = EventOf<'ModelSwitched'>;

/** Until the first switch the model of the log's first claim is live. */
export interface ModelState {
  /** The last switch. */
  switched?: ModelSwitched['data'];
}

export const neverSwitched: ModelState = {};

/** Digest of the live model. @param own the one that is live until the first switch */
export const liveModel = ({ switched }: ModelState, own: string): string => switched?.to ?? own;

export function evolveModel(_: ModelState, event: ModelSwitched): ModelState {
  switch (event.type) {
    case 'ModelSwitched':
      return { switched: event.data };
    default:
      return never(event.type);
  }
}
