import { streamPrefixes } from '#domain/streams';
import { evidenceProjection } from '#evidence/view-evidence';
import { findingsProjection } from '#findings/view';
import type { EventFilter } from '#kit/log/port';
import type { Projection } from '#kit/views/projection';
import { ledgerProjection } from '#ledger/view';
import { lotsProjection } from '#lots/view';
import { telemetryProjection } from '#telemetry/view';

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
