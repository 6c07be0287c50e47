/** Decisions about a population's rungs and its scorer: one stream, one chain. */
import { streams } from '#domain/streams';
import {
  type OperatorDecision as OfOperator,
  OperatorDecisions,
  type OperatorDecisionsDependencies,
} from '#kit/log/operator-decisions';
import { calibrationChain } from './chain.js';
import { type CalibrationState, uncalibrated } from './events.js';
import { type Decided, decidedReader, evolveDecided } from './rejected-decisions.js';

/** An operator's decision about a population. */
export interface OperatorDecision extends OfOperator {
  population: string;
}

export type CalibrationDecisions = OperatorDecisions<CalibrationState, Decided>;

export const calibrationDecisions = ({ store, ...rest }: OperatorDecisionsDependencies): CalibrationDecisions =>
  new OperatorDecisions(
    { ...rest, store: decidedReader(store) },
    {
      owner: 'population',
      nameOf: streams.calibration,
      chain: calibrationChain,
      initial: uncalibrated,
      evolve: evolveDecided,
    },
  );
