import { type EventIn, event, type StreamRule } from '#domain/catalogue-entry';
import { never } from '#domain/decider';
import { described, list, optional, text } from '#domain/schemas';
import { aDigest, aName, anId, at, aWorkspace, latency, requestId } from '#domain/shapes';
import { streams } from '#domain/streams';
import { LOT_STONES, RETURNED_STONES } from '#science/lots/bounds';
import {
  aChecked,
  aKeptStone,
  aMember,
  aRehearsed,
  aWish,
  boundsVersion,
  lotFit,
  lotWarnings,
  MAX_SAID,
  pairs,
  sessionSource,
  sessionType,
} from './event-shapes.js';

type OfLot = { workspace: { id: string }; lot_id: string };
const lotStream: StreamRule<OfLot> = {
  name: 'lot-{workspace id}-{lot id}',
  is: (stream, { workspace, lot_id }) => stream === streams.lot(workspace.id, lot_id),
};

const scannedBy = {
  operator: described(optional(text(MAX_SAID)), 'who scanned, as the sender says; left out where not said'),
  instrument: described(optional(text(MAX_SAID)), 'with what, as the sender says; left out where not said'),
};
const ofLot = {
  lot_id: described(anId, 'the lot'),
  workspace: described(aWorkspace, 'whose it is ([workspace](#workspace))'),
  request_id: requestId,
  model: described(aDigest, 'digest of the lot model, 64 hex'),
  latency_ms: latency,
  at,
};
const ofChange = { lot_id: ofLot.lot_id, workspace: ofLot.workspace, request_id: requestId, at };
const lotDigest = described(aDigest, 'SHA-256 over the stones’ names and digests, 64 hex');

/** Events of lots. */
export const lotEvents = {
  LotEnrolled: event(2, lotStream, 'a lot was enrolled; this gives its name to these files', {
    ...ofLot,
    ...scannedBy,
    name: described(aName, 'as the workspace calls it'),
    digest: lotDigest,
    stones: described(list(aMember, LOT_STONES.max), 'its members, a list ([member](#member))'),
    session_type: sessionType,
    session_type_source: sessionSource,
    twins: described(pairs, 'members too alike to be distinguished: `a`, `b`'),
    fit: lotFit,
    warnings: lotWarnings,
    bounds_version: boundsVersion,
  }),
  LotRenamed: event(1, lotStream, 'a lot was given another name', {
    ...ofChange,
    name: described(aName, 'the new one'),
  }),
  LotSessionCorrected: event(1, lotStream, 'the declared session type of a lot was corrected', {
    ...ofChange,
    session_type: sessionType,
    twins: described(pairs, 'what follows from it: members too alike to be distinguished'),
    fit: lotFit,
  }),
  LotRetired: event(1, lotStream, 'a lot was retired: it is read, and no longer checked', ofChange),
  LotNameTaken: event(
    1,
    {
      name: 'lot-{workspace id}-{id of a lot of this name}',
      is: (stream, { workspace }) => stream.startsWith(streams.lot(workspace.id, 'lot_')),
    },
    'a name was given to a lot that was enrolled under another one; before it is renamed',
    { ...ofChange, name: described(aName, 'the name') },
  ),
  LotChecked: event(
    3,
    {
      name: 'lotcheck-{workspace id}-{check id}',
      is: (stream, { workspace, check_id }) => stream === streams.lotCheck(workspace.id, check_id),
    },
    'a returning lot was checked; before it is answered',
    {
      ...ofLot,
      ...scannedBy,
      check_id: described(anId, 'the check'),
      digest: lotDigest,
      stones: described(list(aKeptStone, RETURNED_STONES.max), 'what came back, a list ([stone](#stone))'),
      result: described(aChecked, 'the answer ([checked](#checked))'),
    },
  ),
  LotRehearsed: event(
    3,
    {
      name: 'rehearsal-{workspace id}-{rehearsal id}',
      is: (stream, { workspace, rehearsal_id }) => stream === streams.rehearsal(workspace.id, rehearsal_id),
    },
    'a substitution was rehearsed on a lot',
    {
      ...ofLot,
      rehearsal_id: described(anId, 'the rehearsal'),
      wish: described(aWish, 'what was asked for ([wish](#wish))'),
      result: described(aRehearsed, 'the answer ([rehearsed](#rehearsed))'),
    },
  ),
};

export type LotEnrolled = EventIn<typeof lotEvents, 'LotEnrolled'>;
export type LotChecked = EventIn<typeof lotEvents, 'LotChecked'>;
export type LotRehearsed = EventIn<typeof lotEvents, 'LotRehearsed'>;
/** Each begins its stream: its id follows from what was sent, so that sending it again adds nothing. */
export type LotRecord = LotEnrolled | LotChecked | LotRehearsed;
export type LotRenamed = EventIn<typeof lotEvents, 'LotRenamed'>;
/** The declared session type was wrong: what follows from it has to follow once more. */
export type LotSessionCorrected = EventIn<typeof lotEvents, 'LotSessionCorrected'>;
export type LotRetired = EventIn<typeof lotEvents, 'LotRetired'>;
/** In the stream of the lot that would have this name: it belongs to another one now. */
export type LotNameTaken = EventIn<typeof lotEvents, 'LotNameTaken'>;
export type LotChanged = LotRenamed | LotSessionCorrected | LotRetired;
export type LotEvent = LotRecord | LotChanged | LotNameTaken;

export type LotEnrolment = LotEnrolled['data'];
export type LotChecking = LotChecked['data'];
/** A stone with its vector: never a spectrum. */
export type KeptStone = LotChecking['stones'][number];
export type MemberStone = LotEnrolment['stones'][number];
/** The person and the instrument of a scan, as the sender names them, for the report. */
export type ScannedBy = Pick<LotChecking, 'operator' | 'instrument'>;

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
