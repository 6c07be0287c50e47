/** Calibration streams as they count: with what replicas of 0.2 recorded of decisions that they found to decide nothing. */

import { populationOf, streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { readEvents } from '#kit/log/stored-events';
import { readToDecide, type Seen } from './approvals.js';
import { chainRoot } from './chain.js';
import { type CalibrationEvent, type CalibrationState, evolveCalibration, uncalibrated } from './events.js';
import type { DecisionPassedOver } from './events-rejected.js';

/** A decision, and why it changes nothing, where that stands recorded. */
export type Decided = CalibrationEvent & { rejected?: string };

/** Reads calibration streams as `Decided`. Nothing is recorded any more: what stands is found with the first event. */
export const decidedReader = (store: Pick<EventReader, 'readStream'>): Pick<EventReader, 'readStream'> => ({
  async readStream(stream, options) {
    const events = await store.readStream(stream, options);
    if (events.length === 0) return events;
    const found = await readEvents<DecisionPassedOver>(store, streams.rejectedDecisions(populationOf(stream)));
    const problems = new Map(found.map(({ data }) => [BigInt(data.revision), data.problem]));
    return events.map((event) => {
      const rejected = problems.get(event.revision);
      return rejected === undefined ? event : { ...event, rejected };
    });
  },
});

/** A decision that changes nothing is still one. */
export const afterRejected = (state: CalibrationState, { type }: CalibrationEvent): CalibrationState =>
  type === 'ApprovalRequested' || type === 'ScorerRequested' ? state : { ...state, decisions: state.decisions + 1 };

export const evolveDecided = (state: CalibrationState, event: Decided): CalibrationState =>
  event.rejected === undefined ? evolveCalibration(state, event) : afterRejected(state, event);

/** A population's decisions as an operator is shown them: about its rungs and its scorer, in one stream with one chain. */
export const readPopulation = (
  store: Pick<EventReader, 'readStream'>,
  population: string,
): Promise<Seen<CalibrationState>> =>
  readToDecide<CalibrationState, Decided>(
    decidedReader(store),
    streams.calibration(population),
    { initial: uncalibrated, evolve: evolveDecided },
    (events) => chainRoot(population, events),
  );
