/** The jobs of threads for lots, lane by lane. */
import type { Limits } from '#config';
import type { LotModel } from '#lots';
import type { Handlers, Jobs } from '#threads';
import { failure } from '../failure.js';
import type { LotTask, LotTasks, LotUpload, PreparedLot } from './port.js';
import { decideLotTask, prepareLot, readLot } from './work.js';

export interface LotDecision<T extends LotTask = LotTask> {
  task: T;
  asked: LotTasks[T]['asked'];
}

export const lotLanes = (model: LotModel, limits: Limits): Handlers => ({
  lot: each((upload: LotUpload) => readLot(upload, model, limits)),
  prepare_lot: each((upload: LotUpload) => prepareLot(upload, model, limits)),
  decide_lot: each(({ task, asked }: LotDecision) => decideLotTask(model, task, asked)),
});

/** Job by job. Spectra move to whoever asked. */
const each =
  <P>(work: (payload: P) => unknown) =>
  async (jobs: Jobs<P>, reply: Parameters<Handlers[string]>[1]): Promise<void> => {
    for (const { id, payload } of jobs) {
      try {
        const value = await work(payload);
        const { spectra } = value as Partial<PreparedLot>;
        reply([{ id, value }], spectra ? [spectra.buffer] : []);
      } catch (error) {
        reply([failure(id, error)]);
      }
    }
  };
