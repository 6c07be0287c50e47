/** Lots on the threads of this process. */

import type { RunOptions } from '#kit/threads/options';
import type { ThreadPool } from '#kit/threads/pool';
import { type JobOptions, ScoringUnavailable } from '../port.js';
import { buffersOf, costOf } from '../transfer.js';
import type { LotScoring, LotTask, LotTasks, LotUpload, PreparedLot, ReadLot } from './port.js';

export class ThreadLots implements LotScoring {
  /** @param model digest of the lot model that the threads hold; none where they hold none */
  constructor(
    private readonly pool: ThreadPool,
    readonly model: string | undefined,
  ) {}

  async read(upload: LotUpload, options: JobOptions): Promise<ReadLot> {
    return this.run('lot', upload, { ...options, ...transferOf(upload) });
  }

  /** For a queue whose workers encode. */
  async prepare(upload: LotUpload, options: JobOptions): Promise<PreparedLot> {
    return this.run('prepare_lot', upload, { ...options, ...transferOf(upload) });
  }

  async decide<T extends LotTask>(
    task: T,
    asked: LotTasks[T]['asked'],
    options: JobOptions,
  ): Promise<LotTasks[T]['answer']> {
    // These take their time: they never have every thread.
    return this.run('decide_lot', { task, asked }, { ...options, large: task === 'rehearse' || task === 'propose' });
  }

  private run<T>(lane: string, payload: unknown, options: RunOptions): Promise<T> {
    if (this.model === undefined) throw new ScoringUnavailable('other_model');
    return this.pool.submit<T>(lane, payload, options);
  }
}

const transferOf = ({ files }: LotUpload) => {
  const arrays = files.map(({ data }) => data);
  return { transfer: buffersOf(arrays), ...costOf(arrays) };
};
