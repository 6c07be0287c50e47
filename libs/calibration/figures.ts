/**
 * The wrong claims that the shipped thresholds let through on a population, kept as an event so that no answer waits for a
 * measurement.
 */

import { LRUCache } from 'lru-cache';
import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import type { EventReader } from '#kit/log/port';
import { readState } from '#kit/log/stored-events';
import type { RejectTarget } from '#science/calibration/ladder';
import type { LetsThrough } from '#science/matching/warnings';
import { figureDecider } from './decide-figure.js';
import { type CarriedMeasured, FIGURE_CLAIMS, type FigureState, figureOf } from './events-figure.js';
import type { EvidenceView } from './queries-evidence.js';
import type { Models } from './queries-models.js';

/** A model and the asset that came with it. */
interface Laddered {
  model: { digest: string };
  ladderDigest: string;
}

const FRESH_MILLISECONDS = 30_000;
/** Populations whose figure is remembered. */
const POPULATIONS = 10_000;

export class CarriedFigures {
  /** By stream: those that are older are read again while they are still taken, also where the log is away. */
  private readonly states = new LRUCache<string, FigureState>({
    ...{ max: POPULATIONS, ttl: FRESH_MILLISECONDS, perf: performance },
    ...{ allowStale: true, allowStaleOnFetchRejection: true, noDeleteOnFetchRejection: true, ignoreFetchAbort: true },
    fetchMethod: (stream) => this.read(stream),
  });

  constructor(private readonly store: Pick<EventReader, 'readStream'>) {}

  /** As the log has it now. */
  async read(stream: string): Promise<FigureState> {
    return (await readState<FigureState, CarriedMeasured>(this.store, stream, figureDecider)).state;
  }

  keep(stream: string, state: FigureState): void {
    this.states.set(stream, state);
  }

  /** The recorded figure, or that of half a minute ago; nothing if the log cannot say: the figure decides nothing. */
  async at(population: string, rung: RejectTarget, of: Laddered): Promise<LetsThrough | undefined> {
    const state = await this.states.fetch(streams.figure(population)).catch(() => undefined);
    const figure = state && figureOf(state, { model: of.model.digest, ladder_digest: of.ladderDigest });
    const found = figure?.rungs.find(({ reject_target }) => reject_target === rung);
    return found && { wrong_per_1000: found.wrong_per_1000, stones: figure!.stones };
  }
}

export interface FigureMeasurementsDependencies {
  commands: CommandHandler;
  evidence: Pick<EvidenceView, 'held'>;
  models: Pick<Models, 'live'>;
  figures: CarriedFigures;
}

/** Measures them: what counts claims does. */
export class FigureMeasurements {
  constructor(private readonly dependencies: FigureMeasurementsDependencies) {}

  /** Measures and stores what is due: nothing where another replica came first, or the claims cannot be measured. */
  async record(population: string, at: Date): Promise<readonly CarriedMeasured[]> {
    const { evidence, models, commands, figures } = this.dependencies;
    const { model, ladderDigest: ladder_digest, proposals } = await models.live();
    const held = evidence.held(population, model.digest);
    const claims = FIGURE_CLAIMS.findLast((one) => one <= held);
    if (claims === undefined) return [];
    const stream = streams.figure(population);
    const stated = figureOf(await figures.read(stream), { model: model.digest, ladder_digest });
    if ((stated?.claims ?? 0) >= claims) return [];
    const { rungs, roughs } = await proposals.byFirst(population, claims);
    if (rungs.length === 0) return [];
    const figure = {
      population,
      model: model.digest,
      ladder_digest,
      claims,
      stones: roughs,
      rungs: rungs.map(({ reject_target, shipped_wrong_per_1000 }) => ({
        reject_target,
        wrong_per_1000: shipped_wrong_per_1000,
      })),
      at: at.toISOString(),
    };
    const handled = await commands.handle(figureDecider, figure, { stream });
    figures.keep(stream, handled.state);
    return handled.refusal === undefined ? handled.events : [];
  }
}
