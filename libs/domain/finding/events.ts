import type { EventOf } from '../catalogue.js';

/** An operator has looked at a finding. Claims that come to it afterwards open it again. */
export type FindingReviewed = EventOf<'FindingReviewed'>;
export type Finding = FindingReviewed['data']['kind'];
