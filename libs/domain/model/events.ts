import { type Happened, never } from '../decider.js';

export type ModelSwitched = Happened<
  'ModelSwitched',
  1,
  {
    /** Digests of models, 64 hex digits; the same one twice where a log begins. */
    from: string;
    to: string;
    /** Populations with a rung approved under the one and not under the other. */
    populations_falling_back: string[];
    operator: string;
    reason: string;
    request_id: string;
    at: string;
  }
>;

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
