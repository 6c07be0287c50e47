import {
  type ClaimOptions,
  type ClaimScoring,
  type QueueState,
  type ScoringQueue,
  ScoringUnavailable,
  type TakenClaim,
  type Upload,
  type UploadReader,
} from './port.js';

/** Claims read and checked here and scored by whoever works on the queue of their model. */
export class QueuedScoring implements ClaimScoring {
  constructor(
    private readonly reader: UploadReader & { close(): Promise<void> },
    /** By the model's digest. */
    private readonly queues: ReadonlyMap<string, ScoringQueue>,
  ) {}

  async take(upload: Upload, options: ClaimOptions): Promise<TakenClaim> {
    const began = performance.now();
    const { model, beside: other, signal, by } = options;
    const { spectra, kept, ...checked } = await this.reader.prepare(upload, options);
    const counts = { roughCount: checked.rough.count, polishCount: checked.polish.count };
    const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - began));
    const scored = this.queueOf(model).score({ model, ...counts, spectra }, { timeoutMs, signal, by });
    scored.catch(() => {});
    if (other === undefined) return { checked, scored };
    const beside = scored.then(() => {
      if (!kept) throw new ScoringUnavailable('other_model');
      const job = { model: other, ...counts, spectra: kept, patient: true };
      return this.queueOf(other).score(job, { timeoutMs: options.timeoutMs });
    });
    beside.catch(() => kept?.fill(0));
    return { checked, scored, beside };
  }

  private queueOf(model: string): ScoringQueue {
    const queue = this.queues.get(model);
    if (!queue) throw new ScoringUnavailable('other_model');
    return queue;
  }

  /** Jobs of all models; workers tell theirs. */
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
