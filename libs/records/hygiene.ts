/** The hygiene checks, and what the last run of them found. */
import type { ViewReads } from '#kit/views/reads';
import type { HygieneCheck } from './queries-hygiene.js';

export class Hygiene {
  /** Findings of the last run. */
  latest: { at: string; checks: HygieneCheck[] } | undefined;

  /** @param models the installed ones */
  constructor(
    private readonly reads: ViewReads,
    private readonly models: { digests: readonly string[] },
  ) {}

  /** Findings in the views as they are. @throws ViewsUnread */
  async check(now: Date): Promise<HygieneCheck[]> {
    const checks = await this.reads.ask('hygiene', 'check', now, this.models.digests);
    this.latest = { at: now.toISOString(), checks };
    return checks;
  }
}
