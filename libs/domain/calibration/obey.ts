import { recordedFault } from '../admission.js';
import type { Decider } from '../decider.js';
import { type CalibrationCommand, type CalibrationRefusal, decideCalibration } from './decide.js';
import { type CalibrationEvent, type CalibrationState, evolveCalibration, uncalibrated } from './events.js';

/** Whether an event is one that the service writes: others may stand in an older log, and are never obeyed. */
export const isObeyed = ({ type, version, data }: CalibrationEvent): boolean =>
  recordedFault({ type, version, data: data as unknown as Record<string, unknown> }) === undefined;

/** `evolveCalibration` of a log whose events may have been written by others. */
export const obeyCalibration = (state: CalibrationState, event: CalibrationEvent): CalibrationState =>
  isObeyed(event) ? evolveCalibration(state, event) : state;

export const calibrationDecider: Decider<CalibrationState, CalibrationCommand, CalibrationEvent, CalibrationRefusal> = {
  initial: uncalibrated,
  evolve: obeyCalibration,
  decide: decideCalibration,
};
