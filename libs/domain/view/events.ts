import type { EventOf } from '../catalogue.js';
/** An operator lets the views pass over an event that they cannot take. */
export type ViewSkipped = EventOf<'ViewSkipped'>;
