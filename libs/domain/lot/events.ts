import type { EventOf } from '../catalogue.js';
import { never } from '../decider.js';

export type LotEnrolled = EventOf<'LotEnrolled'>;
export type LotChecked = EventOf<'LotChecked'>;
export type LotRehearsed = EventOf<'LotRehearsed'>;
/** Each begins its stream: its id follows from what was sent, so that sending it again adds nothing. */
export type LotRecord = LotEnrolled | LotChecked | LotRehearsed;
export type LotRenamed = EventOf<'LotRenamed'>;
/** The declared session type was wrong: what follows from it has to follow once more. */
export type LotSessionCorrected = EventOf<'LotSessionCorrected'>;
export type LotRetired = EventOf<'LotRetired'>;
/** In the stream of the lot that would have this name: it belongs to another one now. */
export type LotNameTaken = EventOf<'LotNameTaken'>;
export type LotChanged = LotRenamed | LotSessionCorrected | LotRetired;
export type LotEvent = LotRecord | LotChanged | LotNameTaken;

export type LotEnrolment = LotEnrolled['data'];
export type LotChecking = LotChecked['data'];
export type LotRehearsing = LotRehearsed['data'];
/** A stone with its vector: never a spectrum. */
export type KeptStone = LotChecking['stones'][number];
export type MemberStone = LotEnrolment['stones'][number];
/** The person and the instrument of a scan, as the sender names them, for the report. */
export type ScannedBy = Pick<LotChecking, 'operator' | 'instrument'>;
export type SessionFacts = Pick<LotSessionCorrected['data'], 'session_type' | 'twins' | 'fit'>;

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
