/** Decisions about a population's rungs and its scorer: one stream, one chain. */
import { streams } from '#domain/streams';
import { type OperatorDecision as OfOperator, readToDecide, type Seen } from '#kit/log/operator-decisions';
import type { EventReader } from '#kit/log/port';
import { chainRoot } from './chain.js';
import { type CalibrationState, uncalibrated } from './events.js';
import { type Decided, decidedReader, evolveDecided } from './rejected-decisions.js';

/** An operator's decision about a population. */
export interface OperatorDecision extends OfOperator {
  population: string;
}

export const readPopulation = (store: EventReader, population: string): Promise<Seen<CalibrationState>> =>
  readToDecide<CalibrationState, Decided>(
    decidedReader(store),
    streams.calibration(population),
    { initial: uncalibrated, evolve: evolveDecided },
    (events) => chainRoot(population, events),
  );
