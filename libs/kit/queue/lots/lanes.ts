/** The jobs of threads for lots, lane by lane. */
import type { Limits } from '#config/limits';
import type { Handlers } from '#kit/threads/protocol';
import type { LotModel } from '#science/lots/model';
import { oneByOne } from '../jobs.js';
import type { LotTask, LotTasks, LotUpload } from './port.js';
import { decideLotTask, prepareLot, readLot } from './work.js';

export interface LotDecision<T extends LotTask = LotTask> {
  task: T;
  asked: LotTasks[T]['asked'];
}

export const lotLanes = (model: LotModel, limits: Limits): Handlers => ({
  lot: oneByOne((upload: LotUpload, { goOn }) => readLot(upload, model, limits, undefined, goOn)),
  prepare_lot: oneByOne((upload: LotUpload, { goOn }) => prepareLot(upload, model, limits, undefined, goOn)),
  decide_lot: oneByOne(({ task, asked }: LotDecision, { goOn }) => {
    goOn();
    return decideLotTask(model, task, asked);
  }),
});
