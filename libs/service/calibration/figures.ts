/** What the shipped thresholds let through on a population, kept as an event so that no answer waits for a measurement. */
import { performance } from 'node:perf_hooks';
import { type RejectTarget } from '#calibration';
import { type CarriedMeasured, FIGURE_CLAIMS, type FigureState, figureDecider, figureOf, streams } from '#domain';
import { type EventReader, readState } from '#event-store';
import type { LetsThrough } from '#matching';
import type { EvidenceView } from '#views';
import type { CommandHandler } from '../command-handler.js';
import type { Models } from '../models/models.js';

/** What was read of a stream is good for so long: a figure changes three times. */
const FRESH_MILLISECONDS = 30_000;

interface Known {
  state: FigureState;
  until: number;
}

/** A model and the asset that came with it. */
interface Laddered {
  model: { digest: string };
  ladderDigest: string;
}

export interface CarriedFiguresDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  evidence: Pick<EvidenceView, 'held'>;
  models: Pick<Models, 'live'>;
}

export class CarriedFigures {
  private readonly known = new Map<string, Known>();
  private readonly readings = new Map<string, Promise<FigureState>>();

  constructor(private readonly dependencies: CarriedFiguresDependencies) {}

  /** What stands recorded, or stood half a minute ago; nothing where the log cannot say: the figure decides nothing. */
  async at(population: string, rung: RejectTarget, of: Laddered): Promise<LetsThrough | undefined> {
    const known = this.known.get(population);
    const stale = !known || known.until < performance.now();
    const reading = stale ? this.read(population).catch(() => known?.state ?? {}) : undefined;
    const state = known?.state ?? (await reading);
    const figure = state && figureOf(state, { model: of.model.digest, ladder_digest: of.ladderDigest });
    const found = figure?.rungs.find(({ reject_target }) => reject_target === rung);
    return found && { wrong_per_1000: found.wrong_per_1000, stones: figure!.stones };
  }

  /** Measures and stores what is due: nothing where another replica came first, or the claims cannot be measured. */
  async record(population: string, at: Date): Promise<readonly CarriedMeasured[]> {
    const { evidence, models, commands } = this.dependencies;
    const { model, ladderDigest: ladder_digest, proposals } = await models.live();
    const held = evidence.held(population, model.digest);
    const claims = FIGURE_CLAIMS.findLast((one) => one <= held);
    if (claims === undefined) return [];
    const stated = figureOf(await this.read(population), { model: model.digest, ladder_digest });
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
    const handled = await commands.handle(figureDecider, figure, { stream: streams.figure(population) });
    this.keep(population, handled.state);
    return handled.refusal === undefined ? handled.events : [];
  }

  private read(population: string): Promise<FigureState> {
    const under = this.readings.get(population);
    if (under) return under;
    const reading = readState<FigureState, CarriedMeasured>(
      this.dependencies.store,
      streams.figure(population),
      figureDecider,
    )
      .then(({ state }) => this.keep(population, state))
      .finally(() => this.readings.delete(population));
    this.readings.set(population, reading);
    return reading;
  }

  private keep(population: string, state: FigureState): FigureState {
    this.known.set(population, { state, until: performance.now() + FRESH_MILLISECONDS });
    return state;
  }
}
