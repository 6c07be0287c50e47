/** What the edge needs from the program that runs it. */
import type { Logger } from 'pino';
import type { CalibrationAsset, LadderEntry, RejectTarget } from '#calibration';
import type { Configuration } from '#config';
import type { EventStore } from '#event-store';
import type { Model } from '#matching';
import type { Metrics } from '#observability';
import type { ClaimScoring } from '#scoring-queue';
import type { Ledger } from '#views';
import type { TallyEntry } from './http/tally.js';

export const PARTS = Symbol('parts');

/** The ladder that applies to a population at a rung under a model. */
export interface Ladders {
  /** `revision` names the state of the ladder: it changes with every approval and withdrawal. */
  entry(population: string, rung: RejectTarget, model: string): Promise<{ entry: LadderEntry; revision: string }>;
}

export interface Parts {
  configuration: Configuration;
  version: string;
  store: EventStore;
  scoring: ClaimScoring;
  ladders: Ladders;
  ledger: Ledger;
  model: Model;
  asset: CalibrationAsset;
  /** Compute engine that serves and why; health shows the whole record. */
  engine: { engine: string; reason: string };
  logger: Logger;
  metrics: Metrics;
  now(): Date;
  /** A fresh UUID. */
  newId(): string;
  /** Random bytes for secrets. */
  randomBytes(count: number): Uint8Array;
  /** Told once a minute what was refused for its credential or rate. */
  tellTally(entries: TallyEntry[], from: Date, to: Date): void;
}
