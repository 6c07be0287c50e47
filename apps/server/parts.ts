/** What the edge needs from the program that runs it. */
import type { Logger } from 'pino';
import type { Configuration } from '#config';
import type { EventStore, LogCheck } from '#event-store';
import type { Metrics } from '#observability';
import type { ClaimScoring } from '#scoring';
import type { Models } from '#service';
import type { EvidenceView, Findings, Ledger, LotsView, Telemetry, Views } from '#views';
import type { TallyEntry } from './http/tally.js';

export const PARTS = Symbol('parts');

export interface Parts {
  configuration: Configuration;
  version: string;
  store: EventStore;
  /** Where the log is SQLite. */
  logCheck: LogCheck | undefined;
  /** Each is a provider under its class. */
  useCases: readonly object[];
  scoring: ClaimScoring;
  evidence: EvidenceView;
  views: Views;
  ledger: Ledger;
  findings: Findings;
  telemetry: Telemetry;
  lots: LotsView;
  /** The live one is asked for by each request. */
  models: Models;
  /** Compute engine that serves and why; health shows the whole record. */
  engine: { engine: string; reason: string };
  logger: Logger;
  metrics: Metrics;
  now(): Date;
  /** A fresh UUID. */
  newId(): string;
  /** Told once a minute what was refused for its credential or rate. */
  tellTally(entries: TallyEntry[], from: Date, to: Date): void;
}
