/** The way of a claim, once its upload is in memory. */
import { Inject, Injectable } from '@nestjs/common';
import {
  type BankedSet,
  type ClaimEvent,
  type ClaimRefused,
  type ClaimReplayed,
  type ClaimResult,
  claimId,
  decideBank,
  decideClaim,
  encodeVector,
  evolveClaim,
  fold,
  type KeyFacts,
  type Latency,
  noClaim,
  nothingBanked,
  replayClaimId,
  type Scoring,
  type SideFacts,
  type Submission,
  streams,
} from '#domain';
import { type NewEvent, WrongExpectedRevision } from '#event-store';
import { judge } from '#matching';
import type { CheckedUpload, ScoredSides, Upload, UploadedSide, UploadFindings } from '#scoring-queue';
import { sha256 } from '../http/credentials.js';
import { ApiKeys } from '../keys/api-keys.js';
import { PARTS, type Parts } from '../parts.js';

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
}

const sha256Hex = (text: string) => sha256(text).toString('hex');
const REPLAY_IGNORED =
  'Replay flag ignored: X-Svc-Replay came without an authorising credential; the call counts as a claim';

type Situation = Omit<Submission, 'claim_id'>;

@Injectable()
export class VerifyMatch {
  constructor(
    @Inject(PARTS) private readonly parts: Parts,
    private readonly keys: ApiKeys,
  ) {}

  /** @throws UploadRefused, Problem, StoreUnavailable, ScoringUnavailable, JobCancelled */
  async verify(upload: Upload, call: Call): Promise<ClaimResult> {
    const began = performance.now();
    const { checked, scored } = await this.parts.scoring.take(upload, patience(call));
    scored.catch(() => {});
    call.latency.read = since(began);
    await this.keys.requireActive(call.key.id);
    const { population } = call.key;
    const { entry, revision } = await this.parts.ladders.entry(
      population,
      checked.rejectTarget,
      this.parts.model.digest,
    );
    const situation: Situation = {
      request_id: call.requestId,
      key: call.key,
      transport: call.transport,
      reject_target: checked.rejectTarget,
      model: this.parts.model.digest,
      ladder_revision: revision,
      rough: factsOf(checked.rough),
      polish: factsOf(checked.polish),
      at: this.parts.now().toISOString(),
    };
    const decide = (vectors: ScoredSides, id: string) => this.decide(checked, vectors, entry, id, call);
    return call.replayBy === undefined
      ? this.claim(situation, scored, decide, call)
      : this.replay(situation, scored, decide, call.replayBy, call);
  }

  private async claim(
    situation: Situation,
    scored: Promise<ScoredSides>,
    decide: (vectors: ScoredSides, id: string) => ClaimResult,
    call: Call,
  ): Promise<ClaimResult> {
    const submission: Submission = { claim_id: claimId(sha256Hex, situation), ...situation };
    const { claim_id } = submission;
    const stream = streams.claim(call.key.id, claim_id);
    // The threads encode meanwhile; the verdict waits for both.
    const submitted = await timed(call, 'submit', this.submit(stream, submission, call));
    if ('stored' in submitted) return this.repeat(stream, submitted.stored, call);
    const vectors = await timed(call, 'score', scored);
    await this.keys.requireActive(call.key.id);
    const result = decide(vectors, claim_id);
    await timed(call, 'bank', this.bank(submission, vectors, 'claim', call));
    const scoring: Scoring = {
      claim_id,
      request_id: call.requestId,
      result,
      engine: vectors.engine,
      latency_ms: { ...call.latency },
      at: this.parts.now().toISOString(),
    };
    try {
      await this.append(stream, [{ type: 'ClaimScored', version: 1, data: scoring }], submitted.revision, call);
      return result;
    } catch (error) {
      // Somebody else scored the same claim first: what is stored is what is told.
      if (!(error instanceof WrongExpectedRevision)) throw error;
      const { state } = await this.read(stream);
      if (state.status !== 'scored') throw error;
      return this.repeat(stream, state.scoring, call);
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
      return await this.append(stream, decision.events, 'no_stream', call);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
    const { state, revision } = await this.read(stream);
    const again = decideClaim(state, { type: 'submit', submission });
    if ('refusal' in again) throw new Error(`submission refused: ${again.refusal}`);
    return state.status === 'scored' ? { stored: state.scoring } : { revision };
  }

  private async repeat(stream: string, { result, claim_id }: Scoring, call: Call): Promise<ClaimResult> {
    const at = this.parts.now().toISOString();
    const repetition = { claim_id, request_id: call.requestId, latency_ms: { ...call.latency }, at };
    await this.append(stream, [{ type: 'ClaimRepeated', version: 1, data: repetition }], 'stream_exists', call);
    const { warnings } = result;
    if (!call.replayIgnored || warnings.includes(REPLAY_IGNORED)) return result;
    return { ...result, warnings: [...warnings, REPLAY_IGNORED] };
  }

  private async replay(
    situation: Situation,
    scored: Promise<ScoredSides>,
    decide: (vectors: ScoredSides, id: string) => ClaimResult,
    authorisedBy: string,
    call: Call,
  ): Promise<ClaimResult> {
    const claim_id = replayClaimId(sha256Hex, this.parts.newId(), situation.at);
    const submission: Submission = { claim_id, ...situation };
    const vectors = await timed(call, 'score', scored);
    await this.keys.requireActive(call.key.id);
    const result = decide(vectors, claim_id);
    await timed(call, 'bank', this.bank(submission, vectors, 'replay', call));
    const data: ClaimReplayed['data'] = {
      ...submission,
      tag: 'verify_match_replay',
      authorised_by: authorisedBy,
      result,
      engine: vectors.engine,
      latency_ms: { ...call.latency },
    };
    await this.append(streams.telemetry(call.key.id), [{ type: 'ClaimReplayed', version: 1, data }], 'any', call);
    return result;
  }

  private decide(
    { rough, polish }: CheckedUpload,
    vectors: ScoredSides,
    entry: Parameters<typeof judge>[0]['entry'],
    claim_id: string,
    call: Call,
  ): ClaimResult {
    const { asset, model } = this.parts;
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

  /** Both vectors; a set that is there already keeps its first record. */
  private async bank(submission: Submission, vectors: ScoredSides, by: BankedSet['by'], call: Call): Promise<void> {
    const { model, key, claim_id, at } = submission;
    await Promise.all(
      (['rough', 'polish'] as const).map(async (side) => {
        const { digest, scans, references } = submission[side];
        const set: BankedSet = {
          population: key.population,
          model,
          digest,
          side,
          scans,
          references,
          vectors: Object.fromEntries(
            this.parts.model.encoders.map(({ name }, i) => [name, encodeVector(vectors[side][i])]),
          ),
          by,
          claim_id,
          at,
        };
        const decision = decideBank(nothingBanked, set);
        if ('refusal' in decision) throw new Error(`vectors refused: ${decision.refusal}`);
        try {
          await this.append(streams.bank(key.population, model, digest), decision.events, 'no_stream', call);
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision)) throw error;
        }
      }),
    );
  }

  /** A call that got no verdict leaves its telemetry; where even that cannot be stored, the log line has to do. */
  async tellRefusal(
    call: Call,
    refusal: { status: number; reason: string; side?: 'rough' | 'polish' },
    { rejectTarget, rough }: UploadFindings = {},
  ): Promise<void> {
    const data: ClaimRefused['data'] = {
      request_id: call.requestId,
      key: call.key,
      transport: call.transport,
      ...refusal,
      ...(rejectTarget !== undefined && { reject_target: rejectTarget }),
      ...(rough && { rough: factsOf(rough) }),
      ...(call.replayBy !== undefined && { replay: true }),
      latency_ms: { ...call.latency },
      at: this.parts.now().toISOString(),
    };
    try {
      await this.append(streams.telemetry(call.key.id), [{ type: 'ClaimRefused', version: 1, data }], 'any', call);
    } catch (error) {
      this.parts.logger.warn({ request: call.requestId, reason: (error as Error).message }, 'refusal not stored');
    }
  }

  private async read(stream: string) {
    const events = await this.parts.store.readStream(stream);
    const state = fold(evolveClaim, noClaim, events as unknown as ClaimEvent[]);
    return { state, revision: events[events.length - 1]?.revision ?? -1n };
  }

  private append(
    stream: string,
    events: Omit<NewEvent, 'id'>[] | { type: string; version: number; data: object }[],
    expected: 'no_stream' | 'stream_exists' | 'any' | bigint,
    call: Call,
  ) {
    const metadata = { correlationId: call.requestId };
    const fresh = events.map((event) => ({ ...event, id: this.parts.newId(), metadata }) as NewEvent);
    return this.parts.store.append(stream, fresh, expected);
  }
}

const patience = ({ deadline, signal }: Call) => ({ timeoutMs: Math.max(1, deadline - performance.now()), signal });

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
  locally_polynomial: gauges.locallyPolynomial,
});
