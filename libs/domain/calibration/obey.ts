import { recordedFault } from '../admission.js';
import { type CalibrationEvent, type CalibrationState, evolveCalibration } from './events.js';

/** Whether an event is one that the service writes: others may stand in an older log, and are never obeyed. */
export const isObeyed = ({ type, version, data }: CalibrationEvent): boolean =>
  recordedFault({ type, version, data: data as unknown as Record<string, unknown> }) === undefined;

/** `evolveCalibration` of a log whose events may have been written by others. */
export const obeyCalibration = (state: CalibrationState, event: CalibrationEvent): CalibrationState =>
  isObeyed(event) ? evolveCalibration(state, event) : state;
