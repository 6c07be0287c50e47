import { LOT_STONES, RETURNED_STONES } from '#lots';
import { event, type StreamRule } from '../catalogue-entry.js';
import { described, list, optional, text } from '../members.js';
import { aDigest, aName, anId, at, aWorkspace, latency, operator, requestId } from '../shapes.js';
import { streams } from '../streams.js';
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
} from './shapes.js';

const workspaceStream: StreamRule<{ workspace: { id: string } }> = {
  name: 'workspace-{workspace id}',
  is: (stream, { workspace }) => stream === streams.workspace(workspace.id),
};
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
const ofChange = {
  lot_id: ofLot.lot_id,
  workspace: ofLot.workspace,
  request_id: requestId,
  at,
};
const lotDigest = described(aDigest, 'SHA-256 over the stones’ names and digests, 64 hex');

/** Events of workspaces and lots. */
export const lotEvents = {
  WorkspaceCreated: event(
    1,
    workspaceStream,
    'an operator created a workspace of the lot product; this reserves its name for good',
    {
      workspace: described(aWorkspace, 'the workspace ([workspace](#workspace))'),
      secret_sha256: described(aDigest, "SHA-256 of its token's secret, hex"),
      operator,
      at,
    },
  ),
  WorkspaceUsed: event(1, workspaceStream, 'its token opened something: at most one an hour', {
    workspace: described(aWorkspace, 'the workspace ([workspace](#workspace))'),
    at,
  }),
  WorkspaceRevoked: event(1, workspaceStream, 'an operator revoked its token', {
    workspace: described(aWorkspace, 'the workspace ([workspace](#workspace))'),
    operator,
    at,
  }),
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
    2,
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
    2,
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
