/** Operators' notes on claims and findings: stored, and answered once the view that shows a note has it. */
import type { ClaimReviewed, Reviewed, ReviewOutcome } from '#claims/events';
import type { ClaimRecord } from '#claims/queries-shapes';
import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { CommandRefused } from '#kit/log/refused';
import type { ViewReads } from '#kit/views/reads';
import type { Views } from '#kit/views/runner';
import type { FindingReviewed } from './events.js';
import type { FindingRecord } from './queries-shapes.js';

export interface ReviewsDependencies {
  commands: CommandHandler;
  reads: Pick<ViewReads, 'ask'>;
  views: Pick<Views, 'file'>;
  /** Longest wait for a view (ms). */
  viewWaitMs: number;
  now(): Date;
}

export interface Note {
  note: string;
  outcome?: ReviewOutcome;
  operator: string;
  requestId: string;
}

export class Reviews {
  constructor(private readonly dependencies: ReviewsDependencies) {}

  /** @returns the claim as the view shows it with the note. @throws CommandRefused (not_found, behind) */
  async ofClaim(claimId: string, note: Note): Promise<ClaimRecord> {
    const { claim_id } = await this.claim(claimId);
    const data = { claim_id, ...this.signed(note) };
    await this.keep(streams.review(claim_id), { type: 'ClaimReviewed', version: 2, data }, 'ledger');
    return this.claim(claimId);
  }

  /** @returns the finding as the view shows it with the note. @throws CommandRefused (not_found, behind) */
  async ofFinding(findingId: string, note: Note): Promise<FindingRecord> {
    const { id: finding_id, kind, claims_total } = await this.finding(findingId);
    const data = { finding_id, kind, claims: claims_total, ...this.signed(note) };
    await this.keep(streams.finding(finding_id), { type: 'FindingReviewed', version: 2, data }, 'findings');
    return this.finding(finding_id);
  }

  /** @throws CommandRefused (not_found) */
  async finding(id: string): Promise<FindingRecord> {
    const finding = await this.dependencies.reads.ask('findings', 'one', id);
    if (!finding) throw new CommandRefused('not_found', 'no finding has this id');
    return finding;
  }

  private async claim(id: string): Promise<ClaimRecord> {
    const claim = await this.dependencies.reads.ask('ledger', 'claim', id);
    if (!claim) throw new CommandRefused('not_found', 'no claim has this claim_id');
    return claim;
  }

  private signed({ note, outcome, operator, requestId: request_id }: Note): Reviewed {
    return { note, outcome: outcome ?? null, operator, request_id, at: this.dependencies.now().toISOString() };
  }

  private async keep(stream: string, event: ClaimReviewed | FindingReviewed, view: string): Promise<void> {
    const { commands, views, viewWaitMs } = this.dependencies;
    // A note holds whatever else is noted meanwhile.
    const { position } = await commands.record(stream, [event], event.data.request_id);
    if (!(await views.file(view).waitFor(position, viewWaitMs)))
      throw new CommandRefused('behind', 'the review is stored; the view has not caught up with it');
  }
}
