/** Telemetry in the contract. */
import { type Static, Type } from 'typebox';
import { driftingPopulation } from '#calibration/queries-drift-shapes';
import { optional } from '#domain/schemas';
import { pageQueryOf, queryOf } from '#kit/http/listing-query';
import { CALL_LISTING, CALL_SUMMARY } from '#kit/views/listings';
import { anyObject, gaugeBand, string } from '#kit/views/shapes';
import { lotActivity } from '#lots/queries-shapes';
import { windowSummary } from './shapes-calls.js';

export class SummaryQuery extends queryOf(CALL_SUMMARY) {}
export class RecordsQuery extends pageQueryOf(CALL_LISTING) {}

export const telemetrySummary = Type.Object(
  {
    ...windowSummary.properties,
    population: optional(string('the population that was asked for')),
    drift: Type.Array(driftingPopulation),
    lots: Type.With(lotActivity, { description: 'the lot product in the window, of all workspaces' }),
    queue: anyObject('waiting and running jobs, and the workers'),
    gauge_bands: Type.Array(gaugeBand, { description: 'what the gauges of a side are judged by' }),
  },
  { $id: 'TelemetrySummary' },
);
export type TelemetrySummary = Static<typeof telemetrySummary>;
