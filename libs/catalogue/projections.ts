import { evidenceProjection } from '#calibration/view-evidence';
import { streamPrefixes } from '#domain/streams';
import { findingsProjection } from '#findings/view';
import type { EventFilter } from '#kit/log/port';
import type { Projection } from '#kit/views/projection';
import { lotsProjection } from '#lots/view';
import { telemetryProjection } from '#records/view-calls';
import { ledgerProjection } from '#records/view-ledger';
import { catalogue } from './catalogue.js';

const ledger = ledgerProjection(Object.keys(catalogue));

/** Every view of the log. */
export const PROJECTIONS: readonly Projection[] = [
  ledger,
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
