/** The findings of a log of claims, for specs. */
import { type TestLog, viewOf } from '#kit/views/test/log';
import { Findings } from '../queries.js';
import { findingsProjection } from '../view.js';

export const MATCH = { verdict: 'MATCH' } as const;

/** An angle whose cosine is just as given. */
export const apart = (cosine: number) => Math.acos(cosine);

export const found = (log: TestLog) => new Findings(viewOf(findingsProjection, log.events));
export const all = (log: TestLog) => found(log).list({ limit: 100 }).items;
