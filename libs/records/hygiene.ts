/** The hygiene checks, on a thread of their own: some read all claims. */
import { ThreadPool } from '#kit/threads/pool';
import type { Views } from '#kit/views/runner';
import { HYGIENE_CHECKS, type HygieneCheck } from './queries-hygiene.js';

export class Hygiene {
  private readonly pool = new ThreadPool({ threads: 1 });
  /** Findings of the last run. */
  latest: { at: string; checks: HygieneCheck[] } | undefined;

  /** @param models the installed ones */
  constructor(
    private readonly views: Views,
    private readonly models: { digests: readonly string[] },
  ) {}

  /** Findings in the views as they are. @throws where the disk does not take what a view has gathered */
  async check(now: Date): Promise<HygieneCheck[]> {
    const file = (name: string) => this.views.file(name).committed();
    const files = { findings: file('findings'), telemetry: file('telemetry') };
    const checks: HygieneCheck[] = await this.pool.run(HYGIENE_CHECKS, 'checkHygieneFiles', [
      files,
      now,
      this.models.digests,
    ]);
    this.latest = { at: now.toISOString(), checks };
    return checks;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
