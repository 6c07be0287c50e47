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
    /** The views that had stopped at it and pass over it. Left out: all, as no view can read it, or in older events. */
    views?: string[];
    reason: string;
    operator: string;
    request_id: string;
    at: string;
  }
>;
