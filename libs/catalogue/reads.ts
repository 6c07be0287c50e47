/** What the rooms' questions to the views need: their thread, the views that each model reads, and errors that are answers. */
import { BadCursor } from '#kit/views/page';
import type { Answering } from '#kit/views/reads';
import { TooManyBuckets } from '#records/queries-calls';

export const ANSWERING: Answering = {
  thread: new URL('./reads-thread.js', import.meta.url),
  views: {
    findings: ['findings'],
    hygiene: ['findings', 'telemetry'],
    ledger: ['ledger', 'findings'],
    telemetry: ['telemetry', 'findings'],
    evidence: ['evidence'],
    lots: ['lots'],
  },
  errors: { BadCursor, TooManyBuckets },
};
