import type {
  CheckedUpload,
  ClaimScoring,
  JobOptions,
  QueueState,
  ScoredSides,
  ScoringQueue,
  Upload,
  UploadReader,
} from './port.js';

/** Claims read and checked here and scored by whoever works on the queue. */
export class QueuedScoring implements ClaimScoring {
  constructor(
    private readonly reader: UploadReader & { close(): Promise<void> },
    private readonly queue: ScoringQueue,
    /** Digest of the model that must score. */
    private readonly model: string,
  ) {}

  async take(upload: Upload, options: JobOptions): Promise<{ checked: CheckedUpload; scored: Promise<ScoredSides> }> {
    const began = performance.now();
    const { spectra, ...checked } = await this.reader.prepare(upload, options);
    const job = { model: this.model, roughCount: checked.rough.count, polishCount: checked.polish.count, spectra };
    const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - began));
    const scored = this.queue.score(job, { ...options, timeoutMs });
    scored.catch(() => {});
    return { checked, scored };
  }

  state(): Promise<QueueState> {
    return this.queue.state();
  }

  async close(): Promise<void> {
    await Promise.all([this.reader.close(), this.queue.close()]);
  }
}
