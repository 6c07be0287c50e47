/** Lots: enrolled, checked when they return, rehearsed. The first record is the answer to every later call. */

import { limits } from '#config/limits';
import { streams } from '#domain/streams';
import { encodeLotVector } from '#domain/vectors';
import type { Workspaces } from '#keys/credentials';
import { cleanName, type WorkspaceFacts, workspaceAsSender } from '#keys/events';
import type { CommandHandler } from '#kit/log/command-handler';
import type { EventReader } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import { sha256Hex } from '#kit/log/secrets';
import { readState } from '#kit/log/stored-events';
import type { Stages } from '#kit/observe/elapsed';
import type { LotScoring, ReadLot } from '#kit/queue/lots/port';
import type { JobOptions } from '#kit/queue/port';
import type { NamedFile } from '#kit/queue/upload';
import { BOUNDS_VERSION } from '#science/lots/bounds';
import { cohortBias, falseAcceptsOf, type LotFolder } from '#science/lots/folder';
import { membersOf, rowsOf } from '#science/lots/lot';
import { LOT_VECTOR, type SessionType } from '#science/lots/model';
import type { RehearsalWish } from '#science/lots/rehearsed';
import { digestOf, type Purpose, refuseCopies, refuseEnrolmentScans } from '#science/lots/stones';
import type { Unused } from '#science/spectra/refusal';
import { boundsAnswerOf, checkAnswerOf, lotAnswerOf, rehearsalAnswerOf, repeatedAnswerOf, said } from './answers.js';
import { checkId, isCheckId, isLotId, lotDecider, lotId, memberOf, rehearsalId } from './decide.js';
import {
  type KeptStone,
  type LotChecked,
  type LotEnrolled,
  type LotEnrolment,
  type LotEvent,
  type LotNow,
  type LotRecord,
  type LotRehearsed,
  type LotState,
  lotNow,
  type ScannedBy,
} from './events.js';
import type { LotScorers } from './scorers.js';
import type { BoundsAnswer, CheckAnswer, LotAnswer, RehearsalAnswer } from './shapes.js';

/** One call, as far as it is not what was sent. */
export interface LotCall {
  workspace: WorkspaceFacts;
  requestId: string;
  /** On the clock of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
  stages: Stages;
}

export interface LotFiles extends ScannedBy {
  files: NamedFile[];
  /** Fields that came and are not read. */
  unused: Unused[];
  session?: SessionType;
}

/** The members of an enrolled lot that may be changed. */
export interface LotWish {
  name?: string;
  session_type?: SessionType;
}

export interface LotsDependencies {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  workspaces: Pick<Workspaces, 'requireActive'>;
  scoring: LotScoring;
  folder: LotFolder;
  scorers: Pick<LotScorers, 'scoringOf'>;
  now(): Date;
}

export class Lots {
  constructor(private readonly dependencies: LotsDependencies) {}

  /** @returns the lot, and whether it is a new one. @throws CommandRefused, UploadRefused, ScoringUnavailable, JobCancelled */
  async enrol(wanted: string, sent: LotFiles, call: LotCall): Promise<{ lot: LotAnswer; fresh: boolean }> {
    const name = named(wanted);
    const { workspace } = call;
    const lot_id = lotId(sha256Hex, workspace.id, name);
    const stream = streams.lot(workspace.id, lot_id);
    const read = await this.read('enrol', sent, call);
    const digest = digestOf(read.stones);
    const { state: held } = await readState(this.dependencies.store, stream, lotDecider);
    if (held.status === 'taken') throw nameTaken();
    const before = lotNow(held);
    if (before)
      return { lot: telling(read, repeatedAnswerOf(same(before, digest), this.serving, sent.session)), fresh: false };
    const asked = { lot: read, declared: sent.session, usual: this.dependencies.folder.usual };
    const deciding = this.dependencies.scoring.decide('enrol', asked, waitLimits(call));
    const { placing, ...enrolled } = await call.stages.time('decide', deciding);
    const data: LotEnrolment = {
      lot_id,
      ...this.facts(call, read.model),
      name,
      digest,
      stones: kept(read).map((stone, i) => ({ ...stone, ...placing[i] })),
      ...enrolled,
      bounds_version: BOUNDS_VERSION,
      ...said(sent),
    };
    const { state, fresh } = await this.record(stream, { type: 'LotEnrolled', version: 2, data }, call);
    const stored = same(lotNow(state) as LotNow, digest);
    const answered = fresh ? this.answer(stored) : repeatedAnswerOf(stored, this.serving, sent.session);
    return { lot: telling(read, answered), fresh };
  }

  /** The workspace's own; another's is as if it were not there. @throws CommandRefused (not_found) */
  async lot({ id }: WorkspaceFacts, lotId: string): Promise<LotNow> {
    const { state } = isLotId(lotId)
      ? await readState(this.dependencies.store, streams.lot(id, lotId), lotDecider)
      : { state: lotDecider.initial };
    const now = lotNow(state);
    if (!now) throw new CommandRefused('not_found', 'the workspace has no lot of this id');
    return now;
  }

  /** A check of the lot, as it was answered. @throws CommandRefused (not_found) */
  async checkOf(workspace: WorkspaceFacts, lotId: string, checkId: string): Promise<CheckAnswer> {
    const held = isCheckId(checkId)
      ? await this.recorded<LotChecked>(streams.lotCheck(workspace.id, checkId))
      : undefined;
    if (held?.data.lot_id !== lotId) throw new CommandRefused('not_found', 'the lot has no check of this id');
    return checkAnswerOf(held, this.serving);
  }

  /**
   * Renames a lot, or corrects its declared session type. A value that stands already changes nothing.
   * @throws CommandRefused
   */
  async change(lot: LotNow, { name: wanted, session_type }: LotWish, call: LotCall): Promise<LotAnswer> {
    const { lot_id, workspace } = lot.enrolment;
    const facts = { lot_id, workspace, request_id: call.requestId, at: this.dependencies.now().toISOString() };
    const stream = streams.lot(workspace.id, lot_id);
    if (session_type !== undefined && session_type !== lot.enrolment.session_type) {
      this.requireModel(lot.enrolment);
      const members = membersOf(lot.enrolment.stones.map(memberOf), lot.enrolment);
      const asked = { members, session_type, usual: this.dependencies.folder.usual };
      const follows = await this.dependencies.scoring.decide('correct', asked, waitLimits(call));
      await this.record(
        stream,
        { type: 'LotSessionCorrected', version: 1, data: { ...facts, session_type, ...follows } },
        call,
      );
    }
    if (wanted !== undefined) {
      const name = named(wanted);
      if (lot.retired_at !== null && name !== lot.enrolment.name) throw retired();
      // The name is reserved first: a call that dies in between, and is sent again, finds it its own.
      const reserved = streams.lot(workspace.id, lotId(sha256Hex, workspace.id, name));
      await this.record(reserved, { type: 'LotNameTaken', version: 1, data: { ...facts, name } }, call);
      await this.record(stream, { type: 'LotRenamed', version: 1, data: { ...facts, name } }, call);
    }
    return this.answer(await this.lot(workspace, lot_id));
  }

  /** Takes a lot out of use: it is read as before, and checked no longer. */
  async retire({ enrolment: { lot_id, workspace } }: LotNow, call: LotCall): Promise<LotAnswer> {
    const data = { lot_id, workspace, request_id: call.requestId, at: this.dependencies.now().toISOString() };
    const stream = streams.lot(workspace.id, lot_id);
    const { state } = await this.record(stream, { type: 'LotRetired', version: 1, data }, call);
    return this.answer(lotNow(state) as LotNow);
  }

  /** @throws as `enrol`, and Refusal where files of the enrolment came back */
  async check({ enrolment: lot, retired_at }: LotNow, sent: LotFiles, call: LotCall): Promise<CheckAnswer> {
    if (retired_at !== null) throw retired();
    this.requireModel(lot);
    const read = await this.read('check', sent, call);
    refuseEnrolmentScans(lot.stones, read.stones);
    const members = lot.stones.map(memberOf);
    const { usual } = this.dependencies.folder;
    if (usual) refuseCopies(usual, { stones: members.map(({ stone }) => stone), vectors: rowsOf(members) }, read);
    const digest = digestOf(read.stones);
    const scoring = await this.dependencies.scorers.scoringOf(lot);
    const by = { model: read.model, session: sent.session, scorer: scoring?.facts.digest };
    const check_id = checkId(sha256Hex, lot.lot_id, digest, by);
    const stream = streams.lotCheck(call.workspace.id, check_id);
    const held = await this.recorded<LotChecked>(stream);
    if (held) return telling(read, checkAnswerOf(held, this.serving));
    const asked = {
      members: membersOf(members, lot),
      returned: read,
      declared: sent.session,
      falseAccepts: falseAcceptsOf(this.dependencies.folder.measured, lot.stones.length),
      usual,
      scoring,
    };
    const deciding = this.dependencies.scoring.decide('check', asked, waitLimits(call));
    const result = await call.stages.time('decide', deciding);
    const data: LotChecked['data'] = {
      lot_id: lot.lot_id,
      ...this.facts(call, read.model),
      check_id,
      digest,
      stones: kept(read),
      result,
      ...said(sent),
    };
    const { state } = await this.record(stream, { type: 'LotChecked', version: 3, data }, call);
    return telling(read, checkAnswerOf(recordIn<LotChecked>(state), this.serving));
  }

  /** @throws CommandRefused, ScoringUnavailable, JobCancelled */
  async rehearse({ enrolment: lot, retired_at }: LotNow, wish: RehearsalWish, call: LotCall): Promise<RehearsalAnswer> {
    if (retired_at !== null) throw retired();
    this.requireModel(lot);
    const own = wish.source === 'cohort' ? undefined : await this.substitutes(lot, wish.source, call);
    const scoring = await this.dependencies.scorers.scoringOf(lot);
    const by = { model: lot.model, scorer: scoring?.facts.digest };
    const rehearsal_id = rehearsalId(sha256Hex, lot.lot_id, by, wish);
    const stream = streams.rehearsal(call.workspace.id, rehearsal_id);
    const held = await this.recorded<LotRehearsed>(stream);
    if (held) return rehearsalAnswerOf(held);
    const measured = cohortBias(this.dependencies.folder.measured, lot.session_type, lot.stones.length);
    const { usual } = this.dependencies.folder;
    const asked = { members: membersOf(lot.stones.map(memberOf), lot), wish, own, measured, usual, scoring };
    const deciding = this.dependencies.scoring.decide('rehearse', asked, waitLimits(call));
    const result = await call.stages.time('decide', deciding);
    const data: LotRehearsed['data'] = {
      lot_id: lot.lot_id,
      ...this.facts(call, lot.model),
      rehearsal_id,
      wish,
      result,
    };
    const { state } = await this.record(stream, { type: 'LotRehearsed', version: 3, data }, call);
    return rehearsalAnswerOf(recordIn<LotRehearsed>(state));
  }

  /** Stones of other lots of the workspace. */
  private async substitutes(lot: LotEnrolment, source: string[], { workspace }: LotCall): Promise<Float32Array> {
    if (source.includes(lot.lot_id)) throw new CommandRefused('invalid', 'source names the lot itself: name others');
    const lots = (await Promise.all(source.map((id) => this.lot(workspace, id)))).map(({ enrolment }) => enrolment);
    for (const one of lots) this.requireModel(one);
    return rowsOf(lots.flatMap((one) => one.stones).map(memberOf));
  }

  private requireModel({ name, model }: LotEnrolment): void {
    if (model === this.serving) return;
    throw new CommandRefused(
      'conflict',
      `the lot ${name} was enrolled with another lot model (${model.slice(0, 16)}): enrol it again under another name, or have it checked where that model serves (MVS_LOT_MODEL)`,
    );
  }

  private async read(purpose: Purpose, { files, unused }: LotFiles, call: LotCall): Promise<ReadLot> {
    const read = await call.stages.time('read', this.dependencies.scoring.read({ purpose, files }, waitLimits(call)));
    await this.dependencies.workspaces.requireActive(call.workspace.id);
    return { ...read, unused: [...unused, ...read.unused] };
  }

  private facts({ workspace, requestId, stages }: LotCall, model: string) {
    const at = this.dependencies.now().toISOString();
    return { workspace, request_id: requestId, model, latency_ms: { ...stages.latency }, at };
  }

  private async recorded<E extends LotRecord>(stream: string): Promise<E | undefined> {
    const { state } = await readState(this.dependencies.store, stream, lotDecider);
    return state.status === 'recorded' ? recordIn<E>(state) : undefined;
  }

  /** @returns what the stream comes to then, and whether this was new. @throws CommandRefused */
  private async record(stream: string, event: LotEvent, { workspace, requestId }: LotCall) {
    await this.dependencies.workspaces.requireActive(workspace.id);
    const begins = event.type === 'LotEnrolled' || event.type === 'LotChecked' || event.type === 'LotRehearsed';
    const seen = begins ? { state: lotDecider.initial, revision: -1n } : undefined;
    const handled = await this.dependencies.commands.handle(lotDecider, event, { stream, requestId, seen });
    if (handled.refusal === 'other_files') throw taken((event as LotEnrolled).data);
    if (handled.refusal === 'name_taken') throw nameTaken();
    if (handled.refusal === 'retired') throw retired();
    if (handled.refusal !== undefined) throw new TypeError(`${event.type} refused: ${handled.refusal}`);
    return { state: handled.state, fresh: handled.events.length > 0 };
  }

  answer(now: LotNow): LotAnswer {
    return lotAnswerOf(now, this.serving);
  }

  bounds(): BoundsAnswer {
    return boundsAnswerOf(this.dependencies.folder);
  }

  /** Digest of the lot model that serves. */
  private get serving(): string {
    return this.dependencies.folder.model.digest;
  }
}

const waitLimits = ({ deadline, signal, workspace }: LotCall): JobOptions => ({
  timeoutMs: Math.max(1, deadline - performance.now()),
  signal,
  by: workspaceAsSender(workspace.id),
});

/** @throws CommandRefused (conflict) */
function same(held: LotNow, digest: string): LotNow {
  if (held.enrolment.digest !== digest) throw taken(held.enrolment);
  return held;
}

/** @throws CommandRefused (invalid) */
function named(wanted: string): string {
  const name = cleanName(wanted);
  if (name === undefined)
    throw new CommandRefused('invalid', `name must be 1 to ${limits.nameCharacters} printable characters`);
  return name;
}

const taken = ({ name }: Pick<LotEnrolment, 'name'>) =>
  new CommandRefused('conflict', `the lot ${name} was enrolled with other files: a name stays with its files`);
const nameTaken = () => new CommandRefused('conflict', 'another lot of the workspace has this name');
const retired = () =>
  new CommandRefused('conflict', 'the lot is retired: it is read, and no longer checked or changed');

const recordIn = <E extends LotRecord>(state: LotState): E => {
  if (state.status !== 'recorded') throw new TypeError('what was recorded stands in its stream');
  return state.event as E;
};

/** An answer of what was stored, with what of this call was not used. */
const telling = <T extends object>({ unused }: ReadLot, answer: T): T & { unused?: Unused[] } =>
  unused.length > 0 ? { ...answer, unused } : answer;

const kept = ({ stones, vectors }: ReadLot): KeptStone[] =>
  stones.map((stone, i) => ({
    ...stone,
    vector: encodeLotVector(vectors.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR)),
  }));
