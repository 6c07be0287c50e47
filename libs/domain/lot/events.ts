import type {
  CheckedLot,
  EnrolledLot,
  LotFit,
  Pair,
  RehearsalWish,
  RehearsedLot,
  SessionType,
  StoneFacts,
} from '#lots';
import type { Latency } from '../claim/events.js';
import { type Happened, never } from '../decider.js';
import type { WorkspaceFacts } from '../workspace/events.js';

/** What every event of a lot says of the call. */
interface LotCall {
  lot_id: string;
  workspace: WorkspaceFacts;
  request_id: string;
  /** Digest of the lot model, 64 hex digits. */
  model: string;
  latency_ms: Latency;
  at: string;
}

/** Who scanned, with what: as the sender says, for the report. */
export interface ScannedBy {
  operator?: string;
  instrument?: string;
}

/** A stone with its vector: never a spectrum. */
export interface KeptStone extends StoneFacts {
  /** 96 float32, little-endian, base64. */
  vector: string;
}

export interface MemberStone extends KeptStone {
  /** Likeness to the model's cohort, and the largest to another member. */
  cohort: number;
  crowding: number;
}

export interface LotEnrolment extends LotCall, ScannedBy, Omit<EnrolledLot, 'placing'> {
  name: string;
  /** SHA-256 over the stones' names and digests, 64 hex digits. */
  digest: string;
  stones: MemberStone[];
  twins: Pair[];
  bounds_version: string;
}

export interface LotChecking extends LotCall, ScannedBy {
  check_id: string;
  /** Of what came back, as of an enrolment. */
  digest: string;
  stones: KeptStone[];
  /** The answer as it was given, kept whole so that a repeat gets the same. */
  result: CheckedLot;
}

export interface LotRehearsing extends LotCall {
  rehearsal_id: string;
  wish: RehearsalWish;
  result: RehearsedLot;
}

export type LotEnrolled = Happened<'LotEnrolled', 2, LotEnrolment>;
export type LotChecked = Happened<'LotChecked', 2, LotChecking>;
export type LotRehearsed = Happened<'LotRehearsed', 2, LotRehearsing>;
/** Each begins its stream: its id follows from what was sent, so that sending it again adds nothing. */
export type LotRecord = LotEnrolled | LotChecked | LotRehearsed;

/** What every change of an enrolled lot says. */
interface LotChange {
  lot_id: string;
  workspace: WorkspaceFacts;
  request_id: string;
  at: string;
}
export interface SessionFacts {
  session_type: SessionType;
  twins: Pair[];
  fit: LotFit | null;
}
export type LotRenamed = Happened<'LotRenamed', 1, LotChange & { name: string }>;
/** The declared session type was wrong: what follows from it, follows anew. */
export type LotSessionCorrected = Happened<'LotSessionCorrected', 1, LotChange & SessionFacts>;
export type LotRetired = Happened<'LotRetired', 1, LotChange>;
/** In the stream of the lot that would have this name: it belongs to another one now. */
export type LotNameTaken = Happened<'LotNameTaken', 1, LotChange & { name: string }>;
export type LotChanged = LotRenamed | LotSessionCorrected | LotRetired;
export type LotEvent = LotRecord | LotChanged | LotNameTaken;

export type LotState =
  | { status: 'absent' }
  | { status: 'taken'; by: string }
  | { status: 'recorded'; event: LotRecord; changes: LotChanged[] };

export const noLot: LotState = { status: 'absent' };

export function evolveLot(state: LotState, event: LotEvent): LotState {
  switch (event.type) {
    case 'LotEnrolled':
    case 'LotChecked':
    case 'LotRehearsed':
      return state.status === 'absent' ? { status: 'recorded', event, changes: [] } : state;
    case 'LotNameTaken':
      return state.status === 'absent' ? { status: 'taken', by: event.data.lot_id } : state;
    case 'LotRenamed':
    case 'LotSessionCorrected':
    case 'LotRetired':
      return state.status === 'recorded' ? { ...state, changes: [...state.changes, event] } : state;
    default:
      return never(event);
  }
}

/** An enrolled lot as it is after its changes. */
export interface LotNow {
  enrolment: LotEnrolment;
  /** Null where it is in use. */
  retired_at: string | null;
  changes: LotChanged[];
}

/** Undefined where no lot was enrolled. */
export function lotNow(state: LotState): LotNow | undefined {
  if (state.status !== 'recorded' || state.event.type !== 'LotEnrolled') return undefined;
  const { changes } = state;
  let enrolment: LotEnrolment = state.event.data;
  let retired_at: string | null = null;
  for (const { type, data } of changes) {
    if (type === 'LotRenamed') enrolment = { ...enrolment, name: data.name };
    else if (type === 'LotRetired') retired_at = data.at;
    else {
      const { session_type, twins, fit } = data;
      enrolment = { ...enrolment, session_type, session_type_source: 'declared', twins, fit };
    }
  }
  return { enrolment, retired_at, changes };
}
