/** Operators' notes on claims and findings: stored, and answered once the view that shows a note has it. And who looks at one now. */

import type { ClaimReviewed, ReviewOutcome } from '#claims/events';
import { streams } from '#domain/streams';
import type { CommandHandler } from '#kit/log/command-handler';
import { CommandRefused } from '#kit/log/refused';
import type { ViewReads } from '#kit/views/reads';
import type { Views } from '#kit/views/runner';
import type { FindingOutcome, FindingReviewed } from './events.js';
import type { FindingRecord } from './queries-shapes.js';

export interface ReviewsDependencies {
  commands: CommandHandler;
  reads: Pick<ViewReads, 'ask'>;
  views: Pick<Views, 'file'>;
  /** Longest wait for a view (ms). */
  viewWaitMs: number;
  now(): Date;
}

export interface Note<O> {
  note: string;
  outcome?: O;
  operator: string;
  requestId: string;
}

/** So long (ms) after asking for an item an operator counts as looking at it: three times as long as the console waits to ask again. */
const LOOKING_MS = 45_000;

export class Reviews {
  /** By item, when it was last asked for, and by operator: the latest last. In the memory of this replica alone. */
  private readonly looks = new Map<string, { at: number; by: Map<string, number> }>();

  constructor(private readonly dependencies: ReviewsDependencies) {}

  /** An operator asks for a claim or a finding. @returns the others who did so lately, by name */
  lookedAtBy(item: string, operator: string): string[] {
    const at = this.dependencies.now().getTime();
    const by = this.looks.get(item)?.by ?? new Map<string, number>();
    this.looks.delete(item);
    this.looks.set(item, { at, by: by.set(operator, at) });
    for (const [old, look] of this.looks) {
      if (at - look.at <= LOOKING_MS) break;
      this.looks.delete(old);
    }
    const others = [...by].filter(([name, asked]) => name !== operator && at - asked <= LOOKING_MS);
    return others.map(([name]) => name).sort();
  }

  /** @returns the claim as the view shows it with the note. @throws CommandRefused (not_found, behind) */
  async ofClaim(claimId: string, note: Note<ReviewOutcome>) {
    const { claim_id } = await this.claim(claimId);
    const data = { claim_id, ...this.signed(note) };
    await this.keep(streams.review(claim_id), { type: 'ClaimReviewed', version: 3, data }, 'ledger');
    return this.claim(claimId);
  }

  /** @returns the finding as the view shows it with the note. @throws CommandRefused (not_found, behind) */
  async ofFinding(findingId: string, note: Note<FindingOutcome>): Promise<FindingRecord> {
    const { id: finding_id, kind, claims_total } = await this.finding(findingId);
    const data = { finding_id, kind, claims: claims_total, ...this.signed(note) };
    await this.keep(streams.finding(finding_id), { type: 'FindingReviewed', version: 3, data }, 'findings');
    return this.finding(finding_id);
  }

  /** @throws CommandRefused (not_found) */
  async finding(id: string): Promise<FindingRecord> {
    const finding = await this.dependencies.reads.ask('findings', 'one', id);
    if (!finding) throw new CommandRefused('not_found', 'no finding has this id');
    return finding;
  }

  private async claim(id: string) {
    const claim = await this.dependencies.reads.ask('ledger', 'claim', id);
    if (!claim) throw new CommandRefused('not_found', 'no claim has this claim_id');
    return claim;
  }

  private signed<O>({ note, outcome, operator, requestId: request_id }: Note<O>) {
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
