/** The way of a claim, once its upload is in memory. */
import { Inject, Injectable } from '@nestjs/common';
import type { LadderEntry } from '#calibration';
import {
  type ClaimRefused,
  type ClaimReplayed,
  type ClaimResult,
  claimId,
  decideClaim,
  type KeyFacts,
  type Latency,
  noClaim,
  type Repetition,
  replayClaimId,
  type Scoring,
  type SideFacts,
  type Submission,
  streams,
} from '#domain';
import { WrongExpectedRevision } from '#event-store';
import { judge, type Model, withStoneIdWarning } from '#matching';
import type { CheckedUpload, ScoredSides, Upload, UploadedSide, UploadFindings } from '#scoring';
import { ApiKeys, sha256Hex } from '#service';
import type { InstalledModel } from '../model/models.js';
import { PARTS, type Parts } from '../parts.js';
import { ClaimLog } from './claim-log.js';
import { Shadow } from './shadow.js';

/** One call, as far as it is not the upload. */
export interface Call {
  key: KeyFacts;
  requestId: string;
  transport: 'json' | 'multipart';
  /** Who authorised a replay; nobody where it is none. */
  replayBy?: string;
  replayIgnored: boolean;
  /** On the clock of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
  /** Milliseconds by stage, filled as the call goes on. */
  latency: Latency;
  /** What could be read of the upload, once it was. */
  findings?: UploadFindings;
}

const REPLAY_IGNORED =
  'Replay flag ignored: X-Svc-Replay came without an authorising credential; the call counts as a claim';

type Situation = Omit<Submission, 'claim_id'>;

/** What turns vectors into the answer, and the model that made them. */
interface Judge {
  model: Model;
  decide(vectors: ScoredSides, claimId: string): ClaimResult;
}

@Injectable()
export class VerifyMatch {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly keys: ApiKeys,
    private readonly log: ClaimLog,
    private readonly shadow: Shadow,
  ) {}

  /** @throws UploadRefused, Problem, StoreUnavailable, ScoringUnavailable, JobCancelled */
  async verify(upload: Upload, call: Call): Promise<ClaimResult> {
    const began = performance.now();
    const live = await this.parts.models.live();
    const other = mayCount(call) ? this.parts.models.beside(live)?.model : undefined;
    const over = new AbortController();
    const { checked, scored, beside } = await this.parts.scoring.take(upload, {
      ...patience(call),
      signal: AbortSignal.any([call.signal, over.signal]),
      model: live.model.digest,
      beside: other?.digest,
    });
    scored.catch(() => {});
    call.latency.read = since(began);
    call.findings = checked;
    let followed = false;
    try {
      await this.keys.requireActive(call.key.id);
      const { population } = call.key;
      const { entry, revision } = await this.parts.ladders.entry(population, checked.rejectTarget, live);
      const situation: Situation = {
        request_id: call.requestId,
        key: call.key,
        transport: call.transport,
        reject_target: checked.rejectTarget,
        model: live.model.digest,
        ladder_revision: revision,
        ladder_digest: live.ladderDigest,
        rough: factsOf(checked.rough),
        polish: factsOf(checked.polish),
        shared_scans: checked.sharedScans,
        at: this.parts.now().toISOString(),
      };
      const judging: Judge = {
        model: live.model,
        decide: (vectors, id) => decide(checked, vectors, entry, live, id, call),
      };
      if (call.replayBy !== undefined) return await this.replay(situation, scored, judging, call.replayBy, call);
      const submission: Submission = { claim_id: claimId(sha256Hex, situation), ...situation };
      const result = await this.claim(submission, scored, judging, call);
      if (other && beside) {
        followed = true;
        this.shadow.follow(submission, other, beside, call.requestId);
      }
      return result;
    } finally {
      // Told what was stored, or refused: nobody waits for the vectors, save a score beside, which comes after them.
      // A reason spares an exception a claim.
      if (!followed) over.abort('answered');
    }
  }

  private async claim(
    submission: Submission,
    scored: Promise<ScoredSides>,
    { decide, model }: Judge,
    call: Call,
  ): Promise<ClaimResult> {
    const { claim_id } = submission;
    const stream = streams.claim(call.key.id, claim_id);
    // The threads encode meanwhile; the verdict waits for both.
    const submitted = await timed(call, 'submit', this.submit(stream, submission, call));
    if ('stored' in submitted) return this.repeat(stream, submission, submitted.stored, call);
    const vectors = await timed(call, 'score', scored);
    await this.keys.requireActive(call.key.id);
    const result = decide(vectors, claim_id);
    await timed(call, 'bank', this.log.bank(submission, model, vectors, 'claim', call.requestId));
    const scoring: Scoring = {
      claim_id,
      request_id: call.requestId,
      result,
      engine: vectors.engine,
      latency_ms: { ...call.latency },
      at: this.parts.now().toISOString(),
    };
    try {
      const event = { type: 'ClaimScored', version: 1, data: scoring };
      await this.log.append(stream, [event], submitted.revision, call.requestId);
      return result;
    } catch (error) {
      // Somebody else scored the same claim first: what is stored is what is told.
      if (!(error instanceof WrongExpectedRevision)) throw error;
      const { state } = await this.log.read(stream);
      if (state.status !== 'scored') throw error;
      return this.repeat(stream, submission, state.scoring, call);
    }
  }

  /** Stores the submission, or finds the claim as it stands: scored before, or left unfinished. */
  private async submit(
    stream: string,
    submission: Submission,
    call: Call,
  ): Promise<{ revision: bigint } | { stored: Scoring }> {
    const decision = decideClaim(noClaim, { type: 'submit', submission });
    if ('refusal' in decision) throw new Error(`submission refused: ${decision.refusal}`);
    try {
      return await this.log.append(stream, decision.events, 'no_stream', call.requestId);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
    const { state, revision } = await this.log.read(stream);
    const again = decideClaim(state, { type: 'submit', submission });
    if ('refusal' in again) throw new Error(`submission refused: ${again.refusal}`);
    return state.status === 'scored' ? { stored: state.scoring } : { revision };
  }

  /** The stored verdict; what a warning tells of this very call is told of this one. */
  private async repeat(
    stream: string,
    { transport, rough, polish }: Submission,
    { result, claim_id }: Scoring,
    call: Call,
  ): Promise<ClaimResult> {
    const repetition: Repetition = {
      claim_id,
      request_id: call.requestId,
      sent: { transport, rough: rough.references, polish: polish.references },
      latency_ms: { ...call.latency },
      at: this.parts.now().toISOString(),
    };
    const event = { type: 'ClaimRepeated', version: 2, data: repetition };
    await this.log.append(stream, [event], 'stream_exists', call.requestId);
    const warnings = withStoneIdWarning(result.warnings, rough.references, polish.references).filter(
      (warning) => warning !== REPLAY_IGNORED,
    );
    if (call.replayIgnored) warnings.push(REPLAY_IGNORED);
    return { ...result, warnings };
  }

  private async replay(
    situation: Situation,
    scored: Promise<ScoredSides>,
    { decide, model }: Judge,
    authorisedBy: string,
    call: Call,
  ): Promise<ClaimResult> {
    const claim_id = replayClaimId(sha256Hex, this.parts.newId(), situation.at);
    const submission: Submission = { claim_id, ...situation };
    const vectors = await timed(call, 'score', scored);
    await this.keys.requireActive(call.key.id);
    const result = decide(vectors, claim_id);
    await timed(call, 'bank', this.log.bank(submission, model, vectors, 'replay', call.requestId));
    const data: ClaimReplayed['data'] = {
      ...submission,
      tag: 'verify_match_replay',
      authorised_by: authorisedBy,
      result,
      engine: vectors.engine,
      latency_ms: { ...call.latency },
    };
    const event = { type: 'ClaimReplayed', version: 2, data };
    await this.log.append(streams.telemetry(call.key.id), [event], 'any', call.requestId);
    return result;
  }

  /** A call that got no verdict leaves its telemetry; where even that cannot be stored, the log line has to do. */
  async tellRefusal(
    call: Call,
    refusal: { status: number; reason: string; side?: 'rough' | 'polish' },
    { rejectTarget, rough, polish }: UploadFindings = call.findings ?? {},
  ): Promise<void> {
    const data: ClaimRefused['data'] = {
      request_id: call.requestId,
      key: call.key,
      transport: call.transport,
      ...refusal,
      ...(rejectTarget !== undefined && { reject_target: rejectTarget }),
      ...(rough && { rough: whatIsKnownOf(rough) }),
      ...(polish && { polish: whatIsKnownOf(polish) }),
      ...(call.replayBy !== undefined && { replay: true }),
      latency_ms: { ...call.latency },
      at: this.parts.now().toISOString(),
    };
    try {
      const event = { type: 'ClaimRefused', version: 2, data };
      await this.log.append(streams.telemetry(call.key.id), [event], 'any', call.requestId);
    } catch (error) {
      this.parts.logger.warn({ request: call.requestId, reason: (error as Error).message }, 'refusal not stored');
    }
  }
}

function decide(
  { rough, polish }: CheckedUpload,
  vectors: ScoredSides,
  entry: LadderEntry,
  { asset, model }: InstalledModel,
  claim_id: string,
  call: Call,
): ClaimResult {
  const result = judge({
    rough: { ...rough, vectors: vectors.rough },
    polish: { ...polish, vectors: vectors.polish },
    entry,
    asset,
    model,
  });
  if (call.replayIgnored) result.warnings.push(REPLAY_IGNORED);
  return { ...result, claim_id };
}

/** Whether the call can become evidence; the claim's gauges have their say later. */
const mayCount = ({ key, replayBy }: Call) => key.kind === 'production' && replayBy === undefined;

const patience = ({ deadline, key }: Call) => ({ timeoutMs: Math.max(1, deadline - performance.now()), by: key.id });

async function timed<T>(call: Call, stage: string, work: Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work;
  } finally {
    call.latency[stage] = since(began);
  }
}

/** Milliseconds, to the microsecond. */
export const since = (began: number): number => Math.round((performance.now() - began) * 1000) / 1000;

const factsOf = ({ digest, count, duplicates, shortCoverage, references, gauges }: UploadedSide): SideFacts => ({
  digest,
  scans: count,
  duplicates,
  short_coverage: shortCoverage,
  references,
  sharpness: gauges.sharpness,
  detail_residual: gauges.detailResidual,
  detail_residual_measured: gauges.measuredResidual,
  locally_polynomial: gauges.locallyPolynomial,
});

/** The same of a side that was refused: nothing stands for what could not be measured. */
function whatIsKnownOf({ digest, count, duplicates, shortCoverage, references, gauges }: Partial<UploadedSide>) {
  const facts: Partial<SideFacts> = {
    digest,
    scans: count,
    duplicates,
    short_coverage: shortCoverage,
    references,
    sharpness: gauges?.sharpness,
    detail_residual: gauges?.detailResidual,
    detail_residual_measured: gauges?.measuredResidual,
    locally_polynomial: gauges?.locallyPolynomial,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Partial<SideFacts>;
}
