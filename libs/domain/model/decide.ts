import type { Decision } from '../decider.js';
import { liveModel, type ModelState, type ModelSwitched } from './events.js';

export interface SwitchModel {
  /** Digest of the model that is to be live. */
  to: string;
  /** Digest of the model that is live where nobody ever switched. */
  own: string;
  /** Digests of the models at hand. */
  installed: readonly string[];
  /** Whether every scoring worker that lives holds `to`, and there is one. */
  everyWorkerHoldsIt: boolean;
  /** Populations with a rung approved under the live model and not under `to`. */
  fallingBack: string[];
  /** The operator says that these may run on the shipped default. */
  acceptUncalibrated: boolean;
  operator: string;
  reason: string;
  requestId: string;
  at: string;
}

/** Who is named where a log begins with a model. */
const NOBODY = 'installation';

/** What a log that holds no claim is told, so that every replica begins with the same model. */
export function beginWith(model: string, { requestId, at }: Pick<SwitchModel, 'requestId' | 'at'>): ModelSwitched {
  const reason = 'a new log begins with the newest model installed';
  const data = {
    from: model,
    to: model,
    populations_falling_back: [],
    operator: NOBODY,
    reason,
    request_id: requestId,
    at,
  };
  return { type: 'ModelSwitched', version: 1, data };
}

export type SwitchRefusal = 'not_installed' | 'already_live' | 'worker_lacks_model' | 'populations_fall_back';

export function decideSwitch(state: ModelState, command: SwitchModel): Decision<ModelSwitched, SwitchRefusal> {
  const { to, own, installed, everyWorkerHoldsIt, fallingBack, acceptUncalibrated } = command;
  const { operator, reason, requestId: request_id, at } = command;
  const from = liveModel(state, own);
  if (!installed.includes(to)) return { refusal: 'not_installed' };
  if (to === from) return { refusal: 'already_live' };
  if (!everyWorkerHoldsIt) return { refusal: 'worker_lacks_model' };
  if (fallingBack.length > 0 && !acceptUncalibrated) return { refusal: 'populations_fall_back' };
  const data = { from, to, populations_falling_back: fallingBack, operator, reason, request_id, at };
  return { events: [{ type: 'ModelSwitched', version: 1, data }] };
}
