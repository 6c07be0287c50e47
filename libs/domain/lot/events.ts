import type { CheckedLot, EnrolledLot, Pair, RehearsalWish, RehearsedLot, StoneFacts } from '#lots';
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

export interface LotEnrolment extends LotCall, Omit<EnrolledLot, 'placing'> {
  name: string;
  /** SHA-256 over the stones' names and digests, 64 hex digits. */
  digest: string;
  stones: MemberStone[];
  twins: Pair[];
  bounds_version: string;
}

export interface LotChecking extends LotCall {
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
/** Each stands alone in its stream: its id follows from what was sent, so that sending it again adds nothing. */
export type LotEvent = LotEnrolled | LotChecked | LotRehearsed;

export type LotState = { status: 'absent' } | { status: 'recorded'; event: LotEvent };

export const noLot: LotState = { status: 'absent' };

export function evolveLot(state: LotState, event: LotEvent): LotState {
  switch (event.type) {
    case 'LotEnrolled':
    case 'LotChecked':
    case 'LotRehearsed':
      return state.status === 'absent' ? { status: 'recorded', event } : state;
    default:
      return never(event);
  }
}
