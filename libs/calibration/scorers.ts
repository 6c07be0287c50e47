/**
 * Populations' own scorers: stored in parts before a decision names them, and loaded from there by every replica, in steps,
 * as claims of others are answered on the same thread.
 */

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import type { EventReader } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { type Folded, readState } from '#kit/log/stored-events';
import { PopulationScorer } from '#science/calibration/scorer/scorer';
import { inTurns } from '#science/calibration/scorer/steps';
import { Refusal } from '#science/spectra/refusal';
import { scorerPartsDecider } from './decide-scorer-bytes.js';
import type { ScorerProposal } from './events.js';
import { noScorer, type ScorerPart, type StoredScorer, scorerBytes } from './events-scorer.js';

/** Scorers in memory, of some megabytes each. */
const HELD = 32;

/** A scorer, or the ladders that it was made with, by the SHA-256 of its bytes. */
type Stored = Pick<PopulationScorer, 'digest' | 'bytes'>;

export interface PopulationScorersDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  logger: Pick<Logger, 'error'>;
}

export class PopulationScorers {
  /** By population and digest. */
  private readonly held = new LRUCache<string, PopulationScorer, { population: string; approved: ScorerProposal }>({
    max: HELD,
    ignoreFetchAbort: true,
    fetchMethod: (_name, _stale, { context }) => this.read(context.population, context.approved),
  });

  /** Faults that were reported: every claim meets them. */
  private readonly named = new Set<string>();

  constructor(private readonly dependencies: PopulationScorersDependencies) {}

  /**
   * The scorer that was approved, whichever replica fitted it.
   * @throws Refusal of kind `asset` where its bytes are not what the approval says; StoreUnavailable
   */
  load(population: string, approved: ScorerProposal): Promise<PopulationScorer> {
    const name = JSON.stringify([population, ...factsOf(approved)]);
    return this.held.forceFetch(name, { context: { population, approved } });
  }

  /**
   * Every part is there when this returns; what is there already stays.
   * @throws CommandRefused (conflict) where others stand in their place: who approved then would have all claims refused
   */
  async store(population: string, { digest, bytes }: Stored, requestId?: string): Promise<void> {
    const command = { population, scorer: digest, bytes };
    const stream = streams.scorer(population, digest);
    const { state } = await this.dependencies.commands.handle(scorerPartsDecider, command, { stream, requestId });
    if (!Buffer.from(bytes).equals(scorerBytes(state) ?? new Uint8Array()))
      throw new CommandRefused(
        'conflict',
        `the log holds other parts in the stream ${stream}; let mvs events verify name them`,
      );
  }

  /** The bytes of a stream's parts, read part by part: claims of others come in between. */
  private async bytesIn(stream: string): Promise<Uint8Array | undefined> {
    let read: Folded<StoredScorer> = { state: noScorer, revision: -1n };
    for (let before = read; ; before = read) {
      const limit = { seen: before, limit: 1 };
      read = await readState<StoredScorer, ScorerPart>(this.dependencies.store, stream, scorerPartsDecider, limit);
      if (read.revision === before.revision) return scorerBytes(read.state);
      await setImmediate();
    }
  }

  private async read(population: string, approved: ScorerProposal): Promise<PopulationScorer> {
    const { scorer: digest } = approved;
    const stream = streams.scorer(population, digest);
    const bytes = await this.bytesIn(stream);
    const found = bytes && createHash('sha256').update(bytes).digest('hex');
    const refuse = (is: string): never => {
      const reason = `the scorer ${digest} of population ${population} is ${is}`;
      if (!this.named.has(reason))
        this.dependencies.logger.error({ alarm: 'calibration', population, problem: reason }, 'scorer not loaded');
      this.named.add(reason);
      throw new Refusal('asset', { reason, fix: 'contact the operator, do not retry' });
    };
    if (found !== digest) return refuse(found ? 'not what was stored' : 'not whole');
    const scorer = await inTurns(PopulationScorer.loadInSteps(bytes!, digest), setImmediate);
    const { header, groups } = scorer;
    const says = factsOf({ ...header, scorer: digest, groups });
    const same = header.population === population && factsOf(approved).every((fact, i) => fact === says[i]);
    return same ? scorer : refuse('of another population or model, or of other claims, than its approval says');
  }
}

/** The facts that an approval and its scorer both state. */
const factsOf = (of: Pick<ScorerProposal, 'scorer' | 'model' | 'method' | 'claims' | 'evidence_digest' | 'groups'>) => [
  ...[of.scorer, of.model, of.method, of.claims, of.evidence_digest, of.groups],
];
