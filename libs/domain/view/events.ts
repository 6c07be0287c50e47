import type { Happened } from '../decider.js';

/** An operator lets the views pass over an event that they cannot take. */
export type ViewSkipped = Happened<
  'ViewSkipped',
  1,
  {
    /** The event's place in the log. */
    position: string;
    stream: string;
    type: string;
    reason: string;
    operator: string;
    request_id: string;
    at: string;
  }
>;
