/** Lots: enrolled, checked when they return, rehearsed. What was recorded first is what is answered, whoever asks again. */
import {
  checkId,
  cleanName,
  encodeLotVector,
  isLotId,
  type KeptStone,
  type Latency,
  type LotChecked,
  type LotEnrolled,
  type LotEnrolment,
  type LotEvent,
  type LotRehearsed,
  lotDecider,
  lotId,
  MAX_NAME_CHARACTERS,
  memberOf,
  rehearsalId,
  streams,
  type WorkspaceFacts,
  workspaceAsSender,
} from '#domain';
import type { EventReader } from '#event-store';
import {
  BOUNDS_VERSION,
  type CheckedLot,
  digestOf,
  falseAcceptsOf,
  flatteryOf,
  LOT_VECTOR,
  type LotFolder,
  membersOf,
  type Purpose,
  type RehearsalWish,
  type RehearsedLot,
  refuseCopies,
  refuseEnrolmentScans,
  rowsOf,
  type SessionType,
} from '#lots';
import type { JobOptions, LotScoring, ReadLot } from '#scoring';
import type { NamedFile } from '#uploads';
import { since } from '../claims/verify-match.js';
import type { CommandHandler } from '../command-handler.js';
import { Refused } from '../refused.js';
import { sha256Hex } from '../secrets.js';
import { readState } from '../stored-events.js';
import type { Workspaces } from '../workspaces/workspaces.js';

/** One call, as far as it is not what was sent. */
export interface LotCall {
  workspace: WorkspaceFacts;
  requestId: string;
  /** On the clock of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
  /** Milliseconds by stage, filled as the call goes on. */
  latency: Latency;
}

export interface LotFiles {
  files: NamedFile[];
  session?: SessionType;
}

/** An enrolment as it is answered. */
export interface LotAnswer
  extends Pick<LotEnrolment, 'lot_id' | 'name' | 'twins' | 'fit' | 'warnings' | 'model' | 'bounds_version'> {
  stones: { stone: string; scans: number }[];
  session_type: SessionType;
  session_type_source: 'declared' | 'estimated';
  enrolled_at: string;
}
export type CheckAnswer = CheckedLot & { check_id: string; lot_id: string; checked_at: string };
export type RehearsalAnswer = RehearsedLot & { rehearsal_id: string; lot_id: string; rehearsed_at: string };

export interface LotsNeeds {
  store: Pick<EventReader, 'readStream'>;
  commands: CommandHandler;
  workspaces: Pick<Workspaces, 'requireActive'>;
  scoring: LotScoring;
  folder: LotFolder;
  now(): Date;
}

export class Lots {
  constructor(private readonly needs: LotsNeeds) {}

  /** @returns the lot, and whether it is a new one. @throws Refused, UploadRefused, ScoringUnavailable, JobCancelled */
  async enrol(wanted: string, sent: LotFiles, call: LotCall): Promise<{ lot: LotAnswer; fresh: boolean }> {
    const name = cleanName(wanted);
    if (name === undefined)
      throw new Refused('invalid', `name must be 1 to ${MAX_NAME_CHARACTERS} printable characters`);
    const { workspace } = call;
    const lot_id = lotId(sha256Hex, workspace.id, name);
    const stream = streams.lot(workspace.id, lot_id);
    const read = await this.read('enrol', sent, call);
    const digest = digestOf(read.stones);
    const held = await this.recorded<LotEnrolled>(stream);
    if (held) return { lot: repeatedLotAnswer(same(held.data, digest), sent.session), fresh: false };
    const asked = { lot: read, declared: sent.session, usual: this.needs.folder.usual };
    const { placing, ...enrolled } = await this.timed(
      call,
      'decide',
      this.needs.scoring.decide('enrol', asked, patience(call)),
    );
    const data: LotEnrolment = {
      lot_id,
      ...this.facts(call, read.model),
      name,
      digest,
      stones: kept(read).map((stone, i) => ({ ...stone, ...placing[i] })),
      ...enrolled,
      bounds_version: BOUNDS_VERSION,
    };
    const { event, fresh } = await this.record(stream, { type: 'LotEnrolled', version: 2, data }, call);
    const stored = same((event as LotEnrolled).data, digest);
    return { lot: fresh ? lotAnswer(stored) : repeatedLotAnswer(stored, sent.session), fresh };
  }

  /** The workspace's own; another's is as if it were not there. @throws Refused (not_found) */
  async lot({ id }: WorkspaceFacts, lotId: string): Promise<LotEnrolment> {
    const held = isLotId(lotId) ? await this.recorded<LotEnrolled>(streams.lot(id, lotId)) : undefined;
    if (!held) throw new Refused('not_found', 'the workspace has no lot of this id');
    return held.data;
  }

  /** @throws as `enrol`, and Refusal where files of the enrolment came back */
  async check(lot: LotEnrolment, sent: LotFiles, call: LotCall): Promise<CheckAnswer> {
    this.requireModel(lot);
    const read = await this.read('check', sent, call);
    refuseEnrolmentScans(lot.stones, read.stones);
    const members = lot.stones.map(memberOf);
    const { usual } = this.needs.folder;
    if (usual) refuseCopies(usual, { stones: members.map(({ stone }) => stone), vectors: rowsOf(members) }, read);
    const digest = digestOf(read.stones);
    const check_id = checkId(sha256Hex, lot.lot_id, digest, read.model, sent.session);
    const stream = streams.lotCheck(call.workspace.id, check_id);
    const held = await this.recorded<LotChecked>(stream);
    if (held) return checkAnswer(held);
    const asked = {
      members: membersOf(members, lot),
      returned: read,
      declared: sent.session,
      falseAccepts: falseAcceptsOf(this.needs.folder.measured, lot.stones.length),
      usual,
    };
    const result = await this.timed(call, 'decide', this.needs.scoring.decide('check', asked, patience(call)));
    const data: LotChecked['data'] = {
      lot_id: lot.lot_id,
      ...this.facts(call, read.model),
      check_id,
      digest,
      stones: kept(read),
      result,
    };
    const { event } = await this.record(stream, { type: 'LotChecked', version: 2, data }, call);
    return checkAnswer(event as LotChecked);
  }

  /** @throws Refused, ScoringUnavailable, JobCancelled */
  async rehearse(lot: LotEnrolment, wish: RehearsalWish, call: LotCall): Promise<RehearsalAnswer> {
    this.requireModel(lot);
    const own = wish.source === 'cohort' ? undefined : await this.substitutes(lot, wish.source, call);
    const rehearsal_id = rehearsalId(sha256Hex, lot.lot_id, lot.model, wish);
    const stream = streams.rehearsal(call.workspace.id, rehearsal_id);
    const held = await this.recorded<LotRehearsed>(stream);
    if (held) return rehearsalAnswer(held);
    const measured = flatteryOf(this.needs.folder.measured, lot.session_type, lot.stones.length);
    const { usual } = this.needs.folder;
    const asked = { members: membersOf(lot.stones.map(memberOf), lot), wish, own, measured, usual };
    const result = await this.timed(call, 'decide', this.needs.scoring.decide('rehearse', asked, patience(call)));
    const data: LotRehearsed['data'] = {
      lot_id: lot.lot_id,
      ...this.facts(call, lot.model),
      rehearsal_id,
      wish,
      result,
    };
    const { event } = await this.record(stream, { type: 'LotRehearsed', version: 2, data }, call);
    return rehearsalAnswer(event as LotRehearsed);
  }

  /** Stones of other lots of the workspace. */
  private async substitutes(lot: LotEnrolment, source: string[], { workspace }: LotCall): Promise<Float32Array> {
    if (source.includes(lot.lot_id)) throw new Refused('invalid', 'source names the lot itself: name others');
    const lots = await Promise.all(source.map((id) => this.lot(workspace, id)));
    for (const one of lots) this.requireModel(one);
    return rowsOf(lots.flatMap((one) => one.stones).map(memberOf));
  }

  private requireModel({ name, model }: LotEnrolment): void {
    if (model === this.needs.folder.model.digest) return;
    throw new Refused(
      'conflict',
      `the lot ${name} was enrolled with another lot model (${model.slice(0, 16)}): enrol it anew under another name`,
    );
  }

  private async read(purpose: Purpose, { files }: LotFiles, call: LotCall): Promise<ReadLot> {
    const read = await this.timed(call, 'read', this.needs.scoring.read({ purpose, files }, patience(call)));
    await this.needs.workspaces.requireActive(call.workspace.id);
    return read;
  }

  private facts({ workspace, requestId, latency }: LotCall, model: string) {
    const at = this.needs.now().toISOString();
    return { workspace, request_id: requestId, model, latency_ms: { ...latency }, at };
  }

  private async recorded<E extends LotEvent>(stream: string): Promise<E | undefined> {
    const { state } = await readState(this.needs.store, stream, lotDecider);
    return state.status === 'recorded' ? (state.event as E) : undefined;
  }

  /** @returns what stands in the stream then, and whether this is it */
  private async record(stream: string, event: LotEvent, { workspace, requestId }: LotCall) {
    await this.needs.workspaces.requireActive(workspace.id);
    const seen = { state: lotDecider.initial, revision: -1n };
    const handled = await this.needs.commands.handle(lotDecider, event, { stream, requestId, seen });
    if (handled.refusal === 'other_files') throw taken(event as LotEnrolled);
    if (handled.refusal !== undefined) throw new TypeError(`${event.type} refused: ${handled.refusal}`);
    if (handled.state.status !== 'recorded') throw new TypeError('what was recorded stands in its stream');
    return { event: handled.state.event, fresh: handled.events.length > 0 };
  }

  private async timed<T>(call: LotCall, stage: string, work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work;
    } finally {
      call.latency[stage] = since(began);
    }
  }
}

const patience = ({ deadline, signal, workspace }: LotCall): JobOptions => ({
  timeoutMs: Math.max(1, deadline - performance.now()),
  signal,
  by: workspaceAsSender(workspace.id),
});

/** @throws Refused (conflict) */
function same(held: LotEnrolment, digest: string): LotEnrolment {
  if (held.digest !== digest) throw taken({ data: held });
  return held;
}

const taken = ({ data }: Pick<LotEnrolled, 'data'>) =>
  new Refused('conflict', `the lot ${data.name} was enrolled with other files: a name stays with its files`);

const kept = ({ stones, vectors }: ReadLot): KeptStone[] =>
  stones.map((stone, i) => ({
    ...stone,
    vector: encodeLotVector(vectors.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR)),
  }));

export const lotAnswer = (lot: LotEnrolment): LotAnswer => {
  const { lot_id, name, stones, session_type, session_type_source, twins, fit, warnings, model, bounds_version, at } =
    lot;
  return {
    lot_id,
    name,
    stones: stones.map(({ stone, scans }) => ({ stone, scans })),
    ...{ session_type, session_type_source, twins, fit, warnings, model, bounds_version },
    enrolled_at: at,
  };
};
/** Whoever declared another session type gets a warning. */
function repeatedLotAnswer(lot: LotEnrolment, declared: SessionType | undefined): LotAnswer {
  const again = lotAnswer(lot);
  if (declared === undefined || declared === lot.session_type) return again;
  const kept = `Session type kept: enrolled as ${lot.session_type} before, declared ${declared} now`;
  return { ...again, warnings: [...again.warnings, kept] };
}

const checkAnswer = ({ data: { check_id, lot_id, result, at } }: LotChecked): CheckAnswer => ({
  check_id,
  lot_id,
  ...result,
  checked_at: at,
});
const rehearsalAnswer = ({ data: { rehearsal_id, lot_id, result, at } }: LotRehearsed): RehearsalAnswer => ({
  rehearsal_id,
  lot_id,
  ...result,
  rehearsed_at: at,
});
