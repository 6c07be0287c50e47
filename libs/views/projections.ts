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
