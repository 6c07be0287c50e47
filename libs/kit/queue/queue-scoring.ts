import {
  type ClaimOptions,
  type JobOptions,
  type QueueState,
  type Scoring,
  type ScoringJob,
  type ScoringQueue,
  ScoringUnavailable,
  type TakenClaim,
  timeLeft,
} from './port.js';
import type { ThreadScoring } from './thread-scoring.js';
import type { Upload } from './upload.js';

/** Claims read and checked on this process's threads, and scored by the workers on the queue of their model. */
export class QueueScoring implements Scoring {
  constructor(
    private readonly reader: Pick<ThreadScoring, 'prepare' | 'close'>,
    /** By the model's digest. */
    private readonly queues: ReadonlyMap<string, ScoringQueue>,
  ) {}

  async readAndScore(upload: Upload, options: ClaimOptions): Promise<TakenClaim> {
    const left = timeLeft(options);
    const { model, shadow: other, signal, by } = options;
    const { spectra, forShadow, ...checked } = await this.reader.prepare(upload, options);
    const counts = { roughCount: checked.rough.count, polishCount: checked.polish.count };
    const scored = this.score({ model, ...counts, spectra }, { timeoutMs: left(), signal, by });
    scored.catch(() => {});
    if (other === undefined) return { checked, scored };
    const shadow = scored.then(() => {
      if (!forShadow) throw new ScoringUnavailable('other_model');
      const job = { model: other, ...counts, spectra: forShadow, shadow: true };
      return this.score(job, { timeoutMs: options.timeoutMs });
    });
    shadow.catch(() => forShadow?.fill(0));
    return { checked, scored, shadow };
  }

  async score(job: ScoringJob, options: JobOptions) {
    const queue = this.queues.get(job.model);
    if (queue) return queue.score(job, options);
    job.spectra.fill(0);
    throw new ScoringUnavailable('other_model');
  }

  /** Jobs of all models; workers report theirs. */
  async state(): Promise<QueueState> {
    const states = await Promise.all([...this.queues.values()].map((queue) => queue.state()));
    const sum = (of: (state: QueueState) => number) => states.reduce((total, state) => total + of(state), 0);
    const { workers } = states[0];
    return { waiting: sum(({ waiting }) => waiting), active: sum(({ active }) => active), workers };
  }

  async close(): Promise<void> {
    await Promise.all([this.reader, ...this.queues.values()].map((part) => part.close()));
  }
}
