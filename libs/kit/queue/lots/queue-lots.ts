import { type JobOptions, type ScoringQueue, ScoringUnavailable, timeLeft } from '../port.js';
import type { LotJob, LotScoring, LotTask, LotTasks, LotUpload, ReadLot, ScoredStones } from './port.js';
import type { ThreadLots } from './thread-lots.js';

/** Lots read, checked and decided here, and encoded by the workers on the queue of their model. */
export class QueueLots implements LotScoring {
  constructor(
    private readonly here: Pick<ThreadLots, 'model' | 'prepare' | 'decide'>,
    private readonly queue: ScoringQueue<LotJob, ScoredStones>,
  ) {}

  async read(upload: LotUpload, options: JobOptions): Promise<ReadLot> {
    const left = timeLeft(options);
    const { model } = this.here;
    if (model === undefined) throw new ScoringUnavailable('other_model');
    const { spectra, ...read } = await this.here.prepare(upload, options);
    const scans = read.stones.map((stone) => stone.scans);
    const { vectors } = await this.queue.score({ model, scans, spectra }, { ...options, timeoutMs: left() });
    return { ...read, model, vectors };
  }

  decide<T extends LotTask>(task: T, asked: LotTasks[T]['asked'], options: JobOptions): Promise<LotTasks[T]['answer']> {
    return this.here.decide(task, asked, options);
  }
}
