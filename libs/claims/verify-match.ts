/** The way of a claim, once its upload is in memory. */

import { streams } from '#domain/streams';
import type { ApiKeys } from '#keys/credentials';
import type { Grant } from '#keys/grant';
import type { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import type { CommandHandler } from '#kit/log/command-handler';
import { StoreUnavailable, type StreamAppend } from '#kit/log/port';
import { sha256Hex } from '#kit/log/secrets';
import type { Folded } from '#kit/log/stored-events';
import { since } from '#kit/observe/elapsed';
import type { ScoredSides, Scoring as ScoringPort } from '#kit/queue/port';
import { placesOf } from '#kit/queue/transfer';
import type { CheckedUpload, Upload } from '#kit/queue/upload';
import type { CalibrationAsset } from '#science/calibration/asset';
import { actionReasons, adviceOf } from '#science/matching/action';
import type { Model } from '#science/matching/model';
import { judge } from '#science/matching/verdict';
import { REPLAY_IGNORED, withStoneIdWarning } from '#science/matching/warnings';
import { banked } from './bank.js';
import type { Call, Course } from './call.js';
import { type ClaimCommand, claimDecider, claimId, replayClaimId, sentBy } from './decide.js';
import type { ClaimState, Latency, Repetition, ScoringResult, Submission } from './events.js';
import type { ClaimReplayed } from './events-calls.js';
import type { Deciding, Ladders } from './ladders.js';
import type { Receipts } from './receipts.js';
import { factsOf, type Refusal, refusedCall } from './refused-call.js';
import type { Shadow } from './shadow.js';
import type { Verification } from './verification.js';

/** An answer, or what stood in its way: UploadRefused, CommandRefused, StoreUnavailable, ScoringUnavailable, JobCancelled. */
export type Outcome = Course & ({ answer: Verification } | { error: unknown });

/** What is stored before a verdict, and the key's grant, which is held until it is let go. */
interface StoredEarly {
  before: readonly StreamAppend[];
  grant: Grant;
}

/** A verdict with the reasons for a person to look at it. */
type JudgedClaim = Pick<ScoringResult, 'result' | 'action_reasons'>;

/** The same as it is stored; a replay, which is no claim, has no receipt. */
type StoredVerdict = JudgedClaim & { receipt?: string };

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
  keys: Pick<ApiKeys, 'hold' | 'requireActive'>;
  commands: CommandHandler;
  shadow: Pick<Shadow, 'follow'>;
  receipts: Pick<Receipts, 'of'>;
  logger: { warn(line: object, message: string): void };
  now(): Date;
  newId(): string;
}

export class VerifyMatch {
  constructor(private readonly dependencies: VerifyMatchDependencies) {}

  /** @param latency milliseconds of the stages before this one */
  async verify(upload: Upload, call: Call, latency: Latency): Promise<Outcome> {
    const course: Course = { latency: { ...latency } };
    try {
      const entered = this.dependencies.limit.enter({ ...waitLimits(call), signal: call.signal }, placesOf(upload));
      const leave = await timed(course, 'wait', entered);
      try {
        return { ...course, answer: await inTime(call, this.answer(upload, call, course)) };
      } finally {
        leave();
      }
    } catch (error) {
      return { ...course, error };
    }
  }

  /** The refusal of a call: its key, if that is revoked and the log was not asked yet; else the error that it met. */
  async refusalOf({ key }: Call, { askedForKey }: Course, error: unknown): Promise<unknown> {
    if (askedForKey) return error;
    return this.dependencies.keys.requireActive(key.id).then(
      () => error,
      (revoked) => revoked,
    );
  }

  /** A call that got no verdict leaves its telemetry; where even that cannot be stored, the log line has to do. */
  async recordRefusal(call: Call, course: Course, refusal: Refusal): Promise<void> {
    const { commands, logger, now } = this.dependencies;
    try {
      const data = refusedCall(call, course, refusal, now().toISOString());
      const event = { type: 'ClaimRefused', version: 2, data };
      await commands.record(streams.telemetry(call.key.id), [event], call.requestId);
    } catch (error) {
      // The refusal has said so itself.
      if (refusal.reason === 'store_unavailable' && error instanceof StoreUnavailable) return;
      logger.warn({ request: call.requestId, reason: (error as Error).message }, 'refusal not stored');
    }
  }

  /** A claim or a replay from its upload to its stored verdict. */
  private async answer(upload: Upload, call: Call, course: Course): Promise<Verification> {
    const began = performance.now();
    const { models, scoring, ladders, shadow, now, newId } = this.dependencies;
    const { live, read } = await this.decisionInputs(call, course);
    const other = mayCount(call) ? models.shadow(live)?.model : undefined;
    const answered = new AbortController();
    const taken = await scoring.readAndScore(upload, {
      ...waitLimits(call),
      signal: AbortSignal.any([call.signal, answered.signal]),
      model: live.model.digest,
      shadow: other?.digest,
    });
    const { checked, scored } = taken;
    scored.catch(() => {});
    course.latency.read = since(began);
    course.findings = checked;
    let shadowFollows = false;
    try {
      const deciding = await ladders.entry(call.key.population, checked.rejectTarget, live, read);
      const at = now().toISOString();
      const facts: Omit<Submission, 'claim_id'> = {
        request_id: call.requestId,
        key: call.key,
        transport: call.transport,
        reject_target: checked.rejectTarget,
        model: live.model.digest,
        ladder_revision: deciding.revision,
        ladder_digest: live.ladderDigest,
        rough: factsOf(checked.rough),
        polish: factsOf(checked.polish),
        shared_scans: checked.sharedScans,
        at,
      };
      const claim_id = call.replayBy === undefined ? claimId(sha256Hex, facts) : replayClaimId(sha256Hex, newId(), at);
      const submission: Submission = { claim_id, ...facts };
      const judged = (vectors: ScoredSides) => verdictOf(checked, vectors, deciding, live, claim_id, call);
      const stored = await this.storedVerdict(submission, live.model, scored, judged, call, course);
      if (other && taken.shadow) {
        shadowFollows = true;
        shadow.follow(submission, other, taken.shadow, call.requestId);
      }
      const { result, action_reasons, receipt } = stored;
      const { rough, polish, sharedScans, unused } = checked;
      return {
        ...result,
        ...adviceOf(result, sharedScans, action_reasons),
        stone_ids: { rough: rough.references, polish: polish.references },
        ...(receipt !== undefined && { receipt }),
        ...(unused.length > 0 && { unused }),
      };
    } finally {
      // Answered or refused: nobody waits for the vectors, but for the shadow model's, which come after them.
      if (!shadowFollows) answered.abort();
    }
  }

  /** Key, live model and ladders, all asked of the log at once. A revoked key comes before any other fault. */
  private async decisionInputs(call: Call, course: Course) {
    const { keys, models, ladders } = this.dependencies;
    course.askedForKey = true;
    const others = Promise.all([models.live(), ladders.read(call.key.population)]);
    others.catch(() => {});
    await keys.requireActive(call.key.id);
    const [live, read] = await others;
    return { live, read };
  }

  /** Submission, vectors and verdict, each stored before the next rests on it. The threads encode meanwhile. */
  private async storedVerdict(
    submission: Submission,
    model: Model,
    scored: Promise<ScoredSides>,
    judged: (vectors: ScoredSides) => Promise<JudgedClaim>,
    call: Call,
    course: Course,
  ): Promise<StoredVerdict> {
    const { claim_id } = submission;
    const isReplay = call.replayBy !== undefined;
    const early = this.storeEarly(submission, model, scored, call);
    early.catch(() => {});
    try {
      const submitted = isReplay ? undefined : await timed(course, 'submit', this.submit(submission, call));
      if (submitted?.state.status === 'scored') {
        // Held twice by one call, the key could not be revoked: the second hold would wait for that, and that for the first.
        releaseOnceStored(early);
        return await this.repeatOfActiveKey(submission, submitted, call, course);
      }
      const vectors = await timed(course, 'score', scored);
      const { before, grant } = await early;
      const verdict = await judged(vectors);
      const measured = { engine: vectors.engine, latency_ms: { ...course.latency } };
      if (!submitted) {
        await grant.store(() =>
          this.recordReplay({ ...submission, result: verdict.result, ...measured }, before, call),
        );
        return verdict;
      }
      const at = this.dependencies.now().toISOString();
      const scoring: ScoringResult = { claim_id, request_id: call.requestId, ...verdict, ...measured, at };
      const command: ClaimCommand = { type: 'score', scoring, sent: sentBy(submission) };
      const handled = await grant.store(() => this.handle(claim_id, command, submitted, call, before));
      // If another call scored the same claim first, its stored result is the answer.
      if (handled.events.length > 0) return { ...verdict, receipt: await this.dependencies.receipts.of(handled.state) };
      return await grant.store(() => this.repeat(submission, handled, call, course));
    } finally {
      releaseOnceStored(early);
    }
  }

  /**
   * Stores the events that go before a verdict while the key is asked for, which is held from then on.
   * @returns those left to go with the verdict
   */
  private async storeEarly(
    submission: Submission,
    model: Model,
    scored: Promise<ScoredSides>,
    { key, requestId, replayBy }: Call,
  ): Promise<StoredEarly> {
    const { keys, commands } = this.dependencies;
    const by = replayBy === undefined ? 'claim' : 'replay';
    const sides = banked(commands, submission, model, await scored, by, requestId);
    const grant = await keys.hold(key.id);
    try {
      const [before] = await Promise.all([commands.appendEarly(sides), grant.ask()]);
      return { before, grant };
    } catch (error) {
      grant.release();
      throw error;
    }
  }

  /** Stores the submission, or finds the claim as it stands: scored before, or left unfinished. */
  private submit(submission: Submission, call: Call) {
    const nothing = { state: claimDecider.initial, revision: -1n };
    return this.handle(submission.claim_id, { type: 'submit', submission }, nothing, call);
  }

  /** A repeat rests on the key as a verdict does. */
  private async repeatOfActiveKey(
    submission: Submission,
    stored: Folded<ClaimState>,
    call: Call,
    course: Course,
  ): Promise<StoredVerdict> {
    const grant = await this.dependencies.keys.hold(call.key.id);
    try {
      // Not at once: what a revoked key repeats is not stored.
      await grant.ask();
      return await grant.store(() => this.repeat(submission, stored, call, course));
    } finally {
      grant.release();
    }
  }

  /** The stored verdict; what a warning says of this very call is that of this one. */
  private async repeat(
    submission: Submission,
    stored: Folded<ClaimState>,
    call: Call,
    { latency }: Course,
  ): Promise<StoredVerdict> {
    const { claim_id, rough, polish } = submission;
    const repetition: Repetition = {
      claim_id,
      request_id: call.requestId,
      sent: sentBy(submission),
      latency_ms: { ...latency },
      at: this.dependencies.now().toISOString(),
    };
    const { state } = await this.handle(claim_id, { type: 'repeat', repetition }, stored, call);
    if (state.status !== 'scored') throw new TypeError('a claim that is repeated is scored');
    const { result, action_reasons } = state.scoring;
    const warnings = withStoneIdWarning(result.warnings, rough.references, polish.references).filter(
      (warning) => warning !== REPLAY_IGNORED,
    );
    if (call.replayIgnored) warnings.push(REPLAY_IGNORED);
    const receipt = await this.dependencies.receipts.of(state);
    return { result: { ...result, warnings }, action_reasons, receipt };
  }

  /** Decided on what was seen of the claim; the stream is read where that has changed. */
  private async handle(
    claimId: string,
    command: ClaimCommand,
    seen: Folded<ClaimState>,
    { key, requestId }: Call,
    before?: readonly StreamAppend[],
  ) {
    const handling = { stream: streams.claim(key.id, claimId), requestId, seen, commutes: command.type === 'repeat' };
    const handled = await this.dependencies.commands.handle(claimDecider, command, { ...handling, before });
    if (handled.refusal !== undefined) throw new Error(`${command.type} refused: ${handled.refusal}`);
    return handled;
  }

  private async recordReplay(
    replayed: Omit<ClaimReplayed['data'], 'tag' | 'authorised_by'>,
    before: readonly StreamAppend[],
    { key, replayBy, requestId }: Call,
  ): Promise<void> {
    const data = { ...replayed, tag: 'verify_match_replay', authorised_by: replayBy! };
    const event = { type: 'ClaimReplayed', version: 2, data };
    await this.dependencies.commands.record(streams.telemetry(key.id), [event], requestId, before);
  }
}

/** Lets go of the key, also where storing fails or is still under way. */
function releaseOnceStored(early: Promise<StoredEarly>): void {
  void early.then(
    ({ grant }) => grant.release(),
    () => {},
  );
}

async function verdictOf(
  { rough, polish, sharedScans }: CheckedUpload,
  vectors: ScoredSides,
  { entry, scorer, letsThrough }: Deciding,
  { asset, model }: ScoringModel,
  claim_id: string,
  { replayIgnored }: Call,
): Promise<JudgedClaim> {
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
async function inTime<T>({ deadline }: Call, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(new StoreUnavailable('the event log did not answer within the time of the request'));
    timer = setTimeout(tooLate, Math.max(0, deadline - performance.now()) + LOG_MAY_LAG_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function timed<T>({ latency }: Course, stage: string, work: Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work;
  } finally {
    latency[stage] = since(began);
  }
}
