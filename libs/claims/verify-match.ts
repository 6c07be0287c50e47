/** The way of a claim, once its upload is in memory. */

import type { Deciding, ReadLadders } from '#calibration/queries-ladders';
import { streams } from '#domain/streams';
import type { ApiKeys } from '#keys/credentials';
import type { KeyFacts } from '#keys/events';
import type { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import type { CommandHandler } from '#kit/log/command-handler';
import { StoreUnavailable, type StreamAppend } from '#kit/log/port';
import { sha256Hex } from '#kit/log/secrets';
import type { Folded } from '#kit/log/stored-events';
import type { ScoredSides, Scoring as ScoringPort } from '#kit/queue/port';
import { placesOf } from '#kit/queue/transfer';
import type { CheckedUpload, Upload, UploadedSide, UploadFindings } from '#kit/queue/upload';
import type { CalibrationAsset } from '#science/calibration/asset';
import type { RejectTarget } from '#science/calibration/ladder';
import { adviceOf } from '#science/matching/action';
import type { Model } from '#science/matching/model';
import { judge } from '#science/matching/verdict';
import { REPLAY_IGNORED, withStoneIdWarning } from '#science/matching/warnings';
import type { ClaimRefused, ClaimReplayed } from '#telemetry/events';
import { banked } from './bank.js';
import { type ClaimCommand, claimDecider, claimId, replayClaimId, sentBy } from './decide.js';
import type { ClaimResult, ClaimState, Latency, Repetition, ScoringResult, SideFacts, Submission } from './events.js';
import type { BankedSet } from './events-bank.js';
import type { Shadow } from './shadow.js';
import type { Verification } from './verification.js';

/** One call, as far as it is not the upload. */
export interface Call {
  key: KeyFacts;
  requestId: string;
  transport: 'json' | 'multipart';
  /** The person who authorised a replay; undefined if it is none. */
  replayBy?: string;
  replayIgnored: boolean;
  /** On the clock of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
  /** The log was asked for the key after the body had come. */
  asked?: boolean;
  /** Milliseconds by stage, filled as the call goes on. */
  latency: Latency;
  /** The part of the upload that could be read. */
  findings?: UploadFindings;
}

type Situation = Omit<Submission, 'claim_id'>;

/** Turns vectors into the answer; with the model that made them. */
interface Judge {
  model: Model;
  decide(vectors: ScoredSides, claimId: string): Promise<ClaimResult>;
}

/** The events before a verdict, and those that still go with it; the key is held until it is released. */
interface Ahead {
  before: readonly StreamAppend[];
  release(): void;
}

/** A model as a claim needs it. */
export interface ScoringModel {
  model: Model;
  asset: CalibrationAsset;
  ladderDigest: string;
}

export interface VerifyMatchDependencies {
  limit: Pick<ConcurrencyLimit, 'enter'>;
  scoring: Pick<ScoringPort, 'take'>;
  models: { live(): Promise<ScoringModel>; shadow(live: ScoringModel): ScoringModel | undefined };
  /** The ladders that decide for a population at a rung. */
  ladders: {
    read(population: string): Promise<ReadLadders>;
    entry(population: string, rung: RejectTarget, of: ScoringModel, read: ReadLadders): Promise<Deciding>;
  };
  keys: Pick<ApiKeys, 'hold' | 'requireActive'>;
  commands: CommandHandler;
  shadow: Pick<Shadow, 'follow'>;
  logger: { warn(line: object, message: string): void };
  now(): Date;
  newId(): string;
}

export class VerifyMatch {
  constructor(private readonly dependencies: VerifyMatchDependencies) {}

  /** @throws UploadRefused, CommandRefused (credential, behind), StoreUnavailable, ScoringUnavailable, JobCancelled */
  async verify(upload: Upload, call: Call): Promise<Verification> {
    const leave = await timed(
      call,
      'wait',
      this.dependencies.limit.enter({ ...patience(call), signal: call.signal }, placesOf(upload)),
    );
    try {
      return await inTime(call, this.inPlace(upload, call));
    } finally {
      leave();
    }
  }

  private async inPlace(upload: Upload, call: Call): Promise<Verification> {
    const began = performance.now();
    const { models, scoring, ladders, shadow, now } = this.dependencies;
    const { live, read } = await this.basis(call);
    const other = mayCount(call) ? models.shadow(live)?.model : undefined;
    const over = new AbortController();
    // AbortSignal.any takes twice the time, at every claim.
    const leave = () => over.abort(call.signal.reason);
    if (call.signal.aborted) leave();
    else call.signal.addEventListener('abort', leave, { once: true });
    const {
      checked,
      scored,
      shadow: shadowScored,
    } = await scoring.take(upload, {
      ...patience(call),
      signal: over.signal,
      model: live.model.digest,
      shadow: other?.digest,
    });
    scored.catch(() => {});
    call.latency.read = since(began);
    call.findings = checked;
    let followed = false;
    try {
      const deciding = await ladders.entry(call.key.population, checked.rejectTarget, live, read);
      const situation: Situation = {
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
        at: now().toISOString(),
      };
      const judging: Judge = {
        model: live.model,
        decide: (vectors, id) => decide(checked, vectors, deciding, live, id, call),
      };
      const answer = (result: ClaimResult) => ({ ...result, ...adviceOf(result, checked.sharedScans) });
      if (call.replayBy !== undefined)
        return answer(await this.replay(situation, scored, judging, call.replayBy, call));
      const submission: Submission = { claim_id: claimId(sha256Hex, situation), ...situation };
      const result = await this.claim(submission, scored, judging, call);
      if (other && shadowScored) {
        followed = true;
        shadow.follow(submission, other, shadowScored, call.requestId);
      }
      return answer(result);
    } finally {
      call.signal.removeEventListener('abort', leave);
      // Answered or refused: nobody waits for the vectors, but for the shadow model's, which come after them.
      // A reason spares an exception a claim.
      if (!followed) over.abort('answered');
    }
  }

  /** The basis of a claim, all asked of the log at once. A revoked key comes before any other fault. */
  private async basis(call: Call) {
    const { keys, models, ladders } = this.dependencies;
    call.asked = true;
    const others = Promise.all([models.live(), ladders.read(call.key.population)]);
    others.catch(() => {});
    await keys.requireActive(call.key.id);
    const [live, read] = await others;
    return { live, read };
  }

  /** The refusal of a call: its key, if that is revoked and the log was not asked yet; else the error that it met. */
  async refusalOf(call: Call, error: unknown): Promise<unknown> {
    if (call.asked) return error;
    return this.dependencies.keys.requireActive(call.key.id).then(
      () => error,
      (revoked) => revoked,
    );
  }

  /**
   * Stores the events that go before a verdict while the key is asked for, which is held from then on.
   * @returns those left to go with the verdict
   */
  private async ahead(
    submission: Submission,
    model: Model,
    scored: Promise<ScoredSides>,
    by: BankedSet['by'],
    { key, requestId }: Call,
  ): Promise<Ahead> {
    const { keys, commands } = this.dependencies;
    const all = banked(commands, submission, model, await scored, by, requestId);
    const release = await keys.hold(key.id);
    try {
      const [before] = await Promise.all([commands.ahead(all), keys.requireActive(key.id)]);
      return { before, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async claim(
    submission: Submission,
    scored: Promise<ScoredSides>,
    { decide, model }: Judge,
    call: Call,
  ): Promise<ClaimResult> {
    // The threads encode meanwhile, and what they come to is stored meanwhile; the verdict waits for all.
    const ahead = this.ahead(submission, model, scored, 'claim', call);
    try {
      return await this.verdict(submission, scored, ahead, decide, call);
    } finally {
      letGo(ahead);
    }
  }

  private async verdict(
    submission: Submission,
    scored: Promise<ScoredSides>,
    ahead: Promise<Ahead>,
    decide: Judge['decide'],
    call: Call,
  ): Promise<ClaimResult> {
    const { claim_id } = submission;
    ahead.catch(() => {});
    const submitted = await timed(call, 'submit', this.submit(submission, call));
    if (submitted.state.status === 'scored') {
      // Held twice by one call, the key could not be revoked: the second hold would wait for that, and that for the first.
      letGo(ahead);
      return this.repeatHeld(submission, submitted, call);
    }
    const vectors = await timed(call, 'score', scored);
    const { before } = await ahead;
    const result = await decide(vectors, claim_id);
    const scoring: ScoringResult = {
      claim_id,
      request_id: call.requestId,
      result,
      engine: vectors.engine,
      latency_ms: { ...call.latency },
      at: this.dependencies.now().toISOString(),
    };
    const command: ClaimCommand = { type: 'score', scoring, sent: sentBy(submission) };
    const handled = await this.handle(claim_id, command, submitted, call, before);
    // If another call scored the same claim first, its stored result is the answer.
    return handled.events.length > 0 ? result : this.repeat(submission, handled, call);
  }

  /** Stores the submission, or finds the claim as it stands: scored before, or left unfinished. */
  private submit(submission: Submission, call: Call) {
    const nothing = { state: claimDecider.initial, revision: -1n };
    return this.handle(submission.claim_id, { type: 'submit', submission }, nothing, call);
  }

  /** A repeat rests on the key as a verdict does. */
  private async repeatHeld(submission: Submission, stored: Folded<ClaimState>, call: Call): Promise<ClaimResult> {
    const { keys } = this.dependencies;
    const release = await keys.hold(call.key.id);
    try {
      // Not at once: what a revoked key repeats is not stored.
      await keys.requireActive(call.key.id);
      return await this.repeat(submission, stored, call);
    } finally {
      release();
    }
  }

  /** The stored verdict; what a warning says of this very call is that of this one. */
  private async repeat(submission: Submission, stored: Folded<ClaimState>, call: Call): Promise<ClaimResult> {
    const { claim_id, rough, polish } = submission;
    const repetition: Repetition = {
      claim_id,
      request_id: call.requestId,
      sent: sentBy(submission),
      latency_ms: { ...call.latency },
      at: this.dependencies.now().toISOString(),
    };
    const { state } = await this.handle(claim_id, { type: 'repeat', repetition }, stored, call);
    if (state.status !== 'scored') throw new TypeError('a claim that is repeated is scored');
    const { result } = state.scoring;
    const warnings = withStoneIdWarning(result.warnings, rough.references, polish.references).filter(
      (warning) => warning !== REPLAY_IGNORED,
    );
    if (call.replayIgnored) warnings.push(REPLAY_IGNORED);
    return { ...result, warnings };
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

  private async replay(
    situation: Situation,
    scored: Promise<ScoredSides>,
    { decide, model }: Judge,
    authorisedBy: string,
    call: Call,
  ): Promise<ClaimResult> {
    const { commands, newId } = this.dependencies;
    const claim_id = replayClaimId(sha256Hex, newId(), situation.at);
    const submission: Submission = { claim_id, ...situation };
    const ahead = this.ahead(submission, model, scored, 'replay', call);
    ahead.catch(() => {});
    try {
      const vectors = await timed(call, 'score', scored);
      const { before } = await ahead;
      const result = await decide(vectors, claim_id);
      const data: ClaimReplayed['data'] = {
        ...submission,
        tag: 'verify_match_replay',
        authorised_by: authorisedBy,
        result,
        engine: vectors.engine,
        latency_ms: { ...call.latency },
      };
      const event = { type: 'ClaimReplayed', version: 2, data };
      await commands.record(streams.telemetry(call.key.id), [event], call.requestId, before);
      return result;
    } finally {
      letGo(ahead);
    }
  }

  /** A call that got no verdict leaves its telemetry; where even that cannot be stored, the log line has to do. */
  async recordRefusal(
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
      ...(rough && { rough: factsOf(rough) }),
      ...(polish && { polish: factsOf(polish) }),
      ...(call.replayBy !== undefined && { replay: true }),
      latency_ms: { ...call.latency },
      at: this.dependencies.now().toISOString(),
    };
    try {
      const event = { type: 'ClaimRefused', version: 2, data };
      await this.dependencies.commands.record(streams.telemetry(call.key.id), [event], call.requestId);
    } catch (error) {
      // The refusal has said so itself.
      if (refusal.reason === 'store_unavailable' && error instanceof StoreUnavailable) return;
      this.dependencies.logger.warn(
        { request: call.requestId, reason: (error as Error).message },
        'refusal not stored',
      );
    }
  }
}

/** However it ends, or whenever. */
function letGo(ahead: Promise<Ahead>): void {
  void ahead.then(
    ({ release }) => release(),
    () => {},
  );
}

async function decide(
  { rough, polish }: CheckedUpload,
  vectors: ScoredSides,
  { entry, scorer, letsThrough }: Deciding,
  { asset, model }: ScoringModel,
  claim_id: string,
  call: Call,
): Promise<ClaimResult> {
  const result = judge({
    rough: { ...rough, vectors: vectors.rough },
    polish: { ...polish, vectors: vectors.polish },
    entry,
    asset,
    model,
    scorer,
    letsThrough: await letsThrough,
  });
  if (call.replayIgnored) result.warnings.push(REPLAY_IGNORED);
  return { ...result, claim_id };
}

/** True if the call can become evidence; the claim's gauges are checked later. */
const mayCount = ({ key, replayBy }: Call) => key.kind === 'production' && replayBy === undefined;

const patience = ({ deadline, key }: Call) => ({ timeoutMs: Math.max(1, deadline - performance.now()), by: key.id });

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

/** The stored facts of a side; a refused side lacks those that could not be measured. */
function factsOf(side: UploadedSide): SideFacts;
function factsOf(side: Partial<UploadedSide>): Partial<SideFacts>;
function factsOf({ digest, count, duplicates, shortCoverage, references, gauges }: Partial<UploadedSide>) {
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
