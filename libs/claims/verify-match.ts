/** The way of a claim, once its upload is in memory. */

import { streams } from '#domain/streams';
import type { ApiKeys } from '#keys/credentials';
import type { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import type { CommandHandler } from '#kit/log/command-handler';
import { StoreUnavailable } from '#kit/log/port';
import { sha256Hex } from '#kit/log/secrets';
import type { Folded } from '#kit/log/stored-events';
import { Stages, since, within } from '#kit/observe/elapsed';
import type { ScoredSides, Scoring as ScoringPort, TakenClaim } from '#kit/queue/port';
import { placesOf } from '#kit/queue/transfer';
import type { Upload, UploadFindings } from '#kit/queue/upload';
import type { CalibrationAsset } from '#science/calibration/asset';
import { actionReasons } from '#science/matching/action';
import type { Model } from '#science/matching/model';
import { judge } from '#science/matching/verdict';
import { REPLAY_IGNORED, withStoneIdWarning } from '#science/matching/warnings';
import { bankedSets } from './bank.js';
import { answerOf, type Call, type Judged, type Unanswered } from './call.js';
import { type ClaimCommand, claimDecider, claimId, replayClaimId, sentBy } from './decide.js';
import { bankDecider } from './decide-bank.js';
import type { ClaimState, Latency, Repetition, Submission } from './events.js';
import type { BankedSet } from './events-bank.js';
import type { ClaimReplayed } from './events-calls.js';
import type { Deciding, Ladders } from './ladders.js';
import type { Receipts } from './receipts.js';
import { factsOf, type Refusal, refusedCall } from './refused-call.js';
import type { Shadow } from './shadow.js';
import type { Verification } from './verification.js';

/** What a call came to: its answer, or why there is none. */
export type Outcome = { answer: Verification } | Unanswered;

/** A claim whose scans are read and checked, and being encoded, with what the log said then of its population. */
interface ReadClaim extends TakenClaim {
  live: ScoringModel;
  ladder: Folded<unknown>;
  /** The shadow model, whose vectors are `shadow`. */
  other?: Model;
}

/** A model as a claim needs it. */
export interface ScoringModel {
  model: Model;
  asset: CalibrationAsset;
  ladderDigest: string;
}

export interface VerifyMatchDependencies {
  limit: Pick<ConcurrencyLimit, 'enter'>;
  scoring: Pick<ScoringPort, 'readAndScore'>;
  models: { live(): Promise<ScoringModel>; shadow(live: ScoringModel): ScoringModel | undefined };
  ladders: Ladders<ScoringModel>;
  keys: Pick<ApiKeys, 'whileActive' | 'requireActive'>;
  commands: CommandHandler;
  shadow: Pick<Shadow, 'follow'>;
  receipts: Pick<Receipts, 'of'>;
  logger: { warn(line: object, message: string): void };
  now(): Date;
  newId(): string;
}

export class VerifyMatch {
  constructor(private readonly dependencies: VerifyMatchDependencies) {}

  /** @param before milliseconds of the stages before this one */
  async verify(upload: Upload, call: Call, before: Latency): Promise<Outcome> {
    const stages = new Stages(before);
    // Ends the encoding of what is refused or was scored before.
    const encoding = new AbortController();
    let findings: UploadFindings | undefined;
    let leave = () => {};
    try {
      const entered = this.dependencies.limit.enter({ ...waitLimits(call), signal: call.signal }, placesOf(upload));
      leave = await stages.time('wait', entered);
      const began = performance.now();
      const claim = await inTime(call, this.read(upload, call, encoding.signal));
      stages.latency.read = since(began);
      findings = claim.checked;
      const answer = await inTime(call, this.decide(claim, call, stages));
      // A shadow model's vectors come after those of the live one.
      if (!claim.shadow) encoding.abort();
      return { answer };
    } catch (error) {
      encoding.abort();
      return { error, latency: stages.latency, findings };
    } finally {
      leave();
    }
  }

  /** The refusal of a call: a revoked key comes before any other fault. */
  async refusalOf({ key }: Call, error: unknown): Promise<unknown> {
    if (error instanceof StoreUnavailable) return error;
    return this.dependencies.keys.requireActive(key.id).then(
      () => error,
      (revoked) => revoked,
    );
  }

  /** A call that got no verdict leaves its telemetry; where even that cannot be stored, the log line has to do. */
  async recordRefusal(call: Call, unanswered: Unanswered, refusal: Refusal): Promise<void> {
    const { commands, logger, now } = this.dependencies;
    try {
      const data = refusedCall(call, unanswered, refusal, now().toISOString());
      const event = { type: 'ClaimRefused', version: 2, data };
      await commands.record(streams.telemetry(call.key.id), [event], call.requestId);
    } catch (error) {
      // The refusal has said so itself.
      if (refusal.reason === 'store_unavailable' && error instanceof StoreUnavailable) return;
      logger.warn({ request: call.requestId, reason: (error as Error).message }, 'refusal not stored');
    }
  }

  /** Key, thresholds and live model, all asked of the log at once; then the upload, read and checked. */
  private async read(upload: Upload, call: Call, encoding: AbortSignal): Promise<ReadClaim> {
    const { keys, models, ladders, scoring } = this.dependencies;
    const { id, population } = call.key;
    const [live, ladder] = await Promise.all([models.live(), ladders.read(population), keys.requireActive(id)]);
    const other = mayCount(call) ? models.shadow(live)?.model : undefined;
    const taken = await scoring.readAndScore(upload, {
      ...waitLimits(call),
      signal: AbortSignal.any([call.signal, encoding]),
      model: live.model.digest,
      shadow: other?.digest,
    });
    return { ...taken, live, ladder, other };
  }

  /** From what was read to the stored verdict. */
  private async decide(claim: ReadClaim, call: Call, stages: Stages): Promise<Verification> {
    const { checked, live, ladder, other, shadow } = claim;
    const deciding = await this.dependencies.ladders.entry(call.key.population, checked.rejectTarget, live, ladder);
    const submission = this.submissionOf(claim, deciding, call);
    const judged =
      call.replayBy === undefined
        ? await this.verdict(submission, claim, deciding, call, stages)
        : await this.replayed(submission, claim, deciding, call, stages);
    if (other && shadow) this.dependencies.shadow.follow(submission, other, shadow, call.requestId);
    return { ...answerOf(judged, submission), ...(checked.unused.length > 0 && { unused: checked.unused }) };
  }

  private submissionOf({ checked, live }: ReadClaim, { revision }: Deciding, call: Call): Submission {
    const { now, newId } = this.dependencies;
    const at = now().toISOString();
    const facts: Omit<Submission, 'claim_id'> = {
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
      at,
    };
    const claim_id = call.replayBy === undefined ? claimId(sha256Hex, facts) : replayClaimId(sha256Hex, newId(), at);
    return { claim_id, ...facts };
  }

  /** The claim is submitted, scored, and its verdict stored with the vectors that it rests on, while the key is active. */
  private async verdict(
    submission: Submission,
    claim: ReadClaim,
    deciding: Deciding,
    call: Call,
    stages: Stages,
  ): Promise<Judged> {
    const { claim_id } = submission;
    const submitted = await stages.time('submit', this.submit(submission, call));
    if (submitted.state.status === 'scored') return this.repeat(submission, submitted, call, stages);
    const vectors = await stages.time('score', claim.scored);
    const judged = await judgedBy(claim, vectors, deciding, claim_id, call);
    const measured = { engine: vectors.engine, latency_ms: { ...stages.latency } };
    const at = this.dependencies.now().toISOString();
    const command: ClaimCommand = {
      type: 'score',
      scoring: { claim_id, request_id: call.requestId, ...judged, ...measured, at },
      sets: bankedSets(submission, claim.live.model, vectors),
      sent: sentBy(submission),
    };
    const handled = await this.dependencies.keys.whileActive(call.key.id, () =>
      this.handle(claim_id, command, submitted, call),
    );
    // If another call scored the same claim first, its stored result is the answer.
    if (handled.events.length === 0) return this.repeat(submission, handled, call, stages);
    return { ...judged, receipt: this.dependencies.receipts.of(handled.state) };
  }

  /** Stores the submission, or finds the claim as it stands: scored before, or left unfinished. */
  private submit(submission: Submission, call: Call) {
    const nothing = { state: claimDecider.initial, revision: -1n };
    return this.handle(submission.claim_id, { type: 'submit', submission }, nothing, call);
  }

  /** The stored verdict; what a warning says of this very call is that of this one. */
  private async repeat(
    submission: Submission,
    stored: Folded<ClaimState>,
    call: Call,
    { latency }: Stages,
  ): Promise<Judged> {
    const { claim_id, rough, polish } = submission;
    const repetition: Repetition = {
      claim_id,
      request_id: call.requestId,
      sent: sentBy(submission),
      latency_ms: { ...latency },
      at: this.dependencies.now().toISOString(),
    };
    const command: ClaimCommand = { type: 'repeat', repetition };
    const { state } = await this.dependencies.keys.whileActive(call.key.id, () =>
      this.handle(claim_id, command, stored, call),
    );
    if (state.status !== 'scored') throw new TypeError('a claim that is repeated is scored');
    const { result, action_reasons } = state.scoring;
    const warnings = withStoneIdWarning(result.warnings, rough.references, polish.references).filter(
      (warning) => warning !== REPLAY_IGNORED,
    );
    if (call.replayIgnored) warnings.push(REPLAY_IGNORED);
    const receipt = this.dependencies.receipts.of(state);
    return { result: { ...result, warnings }, action_reasons, receipt };
  }

  /** A replay is no claim: its vectors and its record are stored, and no history. */
  private async replayed(
    submission: Submission,
    claim: ReadClaim,
    deciding: Deciding,
    call: Call,
    stages: Stages,
  ): Promise<Judged> {
    const { commands, keys } = this.dependencies;
    const { key, requestId, replayBy } = call;
    const vectors = await stages.time('score', claim.scored);
    const judged = await judgedBy(claim, vectors, deciding, submission.claim_id, call);
    const sets = bankedSets(submission, claim.live.model, vectors, 'replay');
    const bank = (set: BankedSet) => {
      const stream = streams.bank(set.population, set.model, set.digest);
      return commands.handle(bankDecider, set, { stream, requestId });
    };
    await keys.whileActive(key.id, () => Promise.all(sets.map(bank)));
    const data: ClaimReplayed['data'] = {
      ...submission,
      tag: 'verify_match_replay',
      authorised_by: replayBy!,
      result: judged.result,
      engine: vectors.engine,
      latency_ms: { ...stages.latency },
    };
    const event = { type: 'ClaimReplayed', version: 2, data };
    await keys.whileActive(key.id, () => commands.record(streams.telemetry(key.id), [event], requestId));
    return judged;
  }

  /** Decided on what was seen of the claim; the stream is read where that has changed. */
  private async handle(claimId: string, command: ClaimCommand, seen: Folded<ClaimState>, { key, requestId }: Call) {
    const handling = { stream: streams.claim(key.id, claimId), requestId, seen, commutes: command.type === 'repeat' };
    const handled = await this.dependencies.commands.handle(claimDecider, command, handling);
    if (handled.refusal !== undefined) throw new Error(`${command.type} refused: ${handled.refusal}`);
    return handled;
  }
}

async function judgedBy(
  { checked: { rough, polish, sharedScans }, live: { asset, model } }: ReadClaim,
  vectors: ScoredSides,
  { entry, scorer, letsThrough }: Deciding,
  claim_id: string,
  { replayIgnored }: Call,
): Promise<Judged> {
  const result = judge({
    rough: { ...rough, vectors: vectors.rough },
    polish: { ...polish, vectors: vectors.polish },
    entry,
    asset,
    model,
    scorer,
    letsThrough: await letsThrough,
  });
  if (replayIgnored) result.warnings.push(REPLAY_IGNORED);
  const action_reasons = actionReasons({ result, entry, rough, polish, sharedScans });
  return { result: { ...result, claim_id }, action_reasons };
}

/** True if the call can become evidence; the claim's gauges are checked later. */
const mayCount = ({ key, replayBy }: Call) => key.kind === 'production' && replayBy === undefined;

const waitLimits = ({ deadline, key }: Call) => ({ timeoutMs: Math.max(1, deadline - performance.now()), by: key.id });

/** A busy log may take the whole of a request's time; scoring, which ends with it too, says so itself. */
const LOG_MAY_LAG_MS = 250;

/** @throws StoreUnavailable where it takes longer than the request may */
const inTime = <T>({ deadline }: Call, work: Promise<T>): Promise<T> =>
  within(
    Math.max(0, deadline - performance.now()) + LOG_MAY_LAG_MS,
    work,
    () => new StoreUnavailable('the event log did not answer within the time of the request'),
  );
