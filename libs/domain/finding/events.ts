import type { EventOf } from '../catalogue.js';

/** An operator has looked at a finding. What comes to it afterwards opens it again. */
export type FindingReviewed = EventOf<'FindingReviewed'>;
export type Finding = FindingReviewed['data']['kind'];
