import { streamPrefixes } from '#domain';
import type { EventFilter } from '#event-store';
import { evidenceProjection } from './evidence/fold.js';
import { findingsProjection } from './findings/fold.js';
import { ledgerProjection } from './ledger/fold.js';
import { lotsProjection } from './lots/fold.js';
import type { Projection } from './projection.js';
import { telemetryProjection } from './telemetry/fold.js';

/** Every view of the log. */
export const PROJECTIONS: readonly Projection[] = [
  ledgerProjection,
  findingsProjection,
  evidenceProjection,
  telemetryProjection,
  lotsProjection,
];

/** A part of the log, and the views made from it. */
export interface Part extends Pick<EventFilter, 'streamPrefixes'> {
  projections: readonly Projection[];
}

/** The listings of lots alone, for a replica that is sent no claim: the log's server filters. */
export const LOT_LISTINGS: Part = { projections: [lotsProjection], streamPrefixes: streamPrefixes.lots };
