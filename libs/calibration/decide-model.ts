import { type Decider, type Decision, never } from '#domain/decider';
import { evolveModel, liveModel, type ModelState, type ModelSwitched, neverSwitched } from './events-model.js';

export interface SwitchModel {
  type: 'switch';
  /** Digest of the model that is to be live. */
  to: string;
  /** Digest of the model that is live where none was ever switched to. */
  own: string;
  /** Digests of the models at hand. */
  installed: readonly string[];
  /** True if every living scoring worker holds `to`, and there is one. */
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

/** The first model of a log that holds no claim, so that every replica begins with the same one. */
export interface BeginWithModel {
  type: 'begin';
  model: string;
  requestId: string;
  at: string;
}
export type ModelCommand = SwitchModel | BeginWithModel;

/** The operator named where a log begins with a model. */
const NOBODY = 'installation';

export type ModelRefusal = 'not_installed' | 'already_live' | 'worker_lacks_model' | 'populations_fall_back';

export function decideModel(state: ModelState, command: ModelCommand): Decision<ModelSwitched, ModelRefusal> {
  switch (command.type) {
    case 'begin': {
      if (state.switched) return { events: [] };
      const { model, requestId: request_id, at } = command;
      const reason = 'a new log begins with the newest model installed';
      const data = { from: model, to: model, populations_falling_back: [], operator: NOBODY, reason, request_id, at };
      return { events: [{ type: 'ModelSwitched', version: 1, data }] };
    }
    case 'switch': {
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
    default:
      return never(command);
  }
}

export const modelDecider: Decider<ModelState, ModelCommand, ModelSwitched, ModelRefusal> = {
  initial: neverSwitched,
  evolve: evolveModel,
  decide: decideModel,
};
