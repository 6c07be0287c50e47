/** Lots, checks and rehearsals as they are answered, out of what is stored; and the bounds that they are answered within. */

import { BOUNDS_VERSION, LOT_SCOPE, specifiedBounds } from '#science/lots/bounds';
import type { LotFolder } from '#science/lots/folder';
import type { SessionType } from '#science/lots/model';
import type { LotChanged, LotChecked, LotNow, LotRehearsed, ScannedBy } from './events.js';
import type { BoundsAnswer, CheckAnswer, LotAnswer, RehearsalAnswer } from './shapes.js';

/** @param serving digest of the lot model that serves */
export function lotAnswerOf({ enrolment, retired_at, changes }: LotNow, serving: string): LotAnswer {
  const { lot_id, name, stones, session_type, session_type_source, twins, fit, warnings, model, bounds_version, at } =
    enrolment;
  return {
    lot_id,
    name,
    stones: stones.map(({ stone, scans }) => ({ stone, scans })),
    ...{ session_type, session_type_source, twins, fit, warnings, model, bounds_version },
    to_do: toDo(model, serving),
    status: retired_at === null ? 'active' : 'retired',
    retired_at,
    changes: changes.map(changeOf),
    enrolled_at: at,
  };
}

/** A sender that declares another session type gets a warning. */
export function repeatedAnswerOf(now: LotNow, serving: string, declared: SessionType | undefined): LotAnswer {
  const again = lotAnswerOf(now, serving);
  if (declared === undefined || declared === again.session_type) return again;
  const kept = `Session type kept: enrolled as ${again.session_type} before, declared ${declared} now; PATCH the lot to correct it`;
  return { ...again, warnings: [...again.warnings, kept] };
}

export function checkAnswerOf({ data }: LotChecked, serving: string): CheckAnswer {
  const { check_id, lot_id, result, model, at } = data;
  const scorer = result.workspace_scorer === null ? ('shipped' as const) : ('workspace' as const);
  return { check_id, lot_id, scorer, ...result, ...said(data), model, to_do: toDo(model, serving), checked_at: at };
}

export const rehearsalAnswerOf = ({ data: { rehearsal_id, lot_id, result, at } }: LotRehearsed): RehearsalAnswer => ({
  rehearsal_id,
  lot_id,
  scorer: result.workspace_scorer === null ? 'shipped' : 'workspace',
  ...result,
  rehearsed_at: at,
});

/** Who scanned and with what, where that was said. */
export const said = ({ operator, instrument }: ScannedBy): ScannedBy => ({
  ...(operator !== undefined && { operator }),
  ...(instrument !== undefined && { instrument }),
});

function toDo(model: string, serving: string): string | null {
  if (model === serving) return null;
  return 'Made with a former lot model: to be read, not checked again. Enrol the lot again under another name; while it is out, have that model serve (MVS_LOT_MODEL).';
}

const CHANGES = {
  LotRenamed: 'renamed',
  LotSessionCorrected: 'session_type_corrected',
  LotRetired: 'retired',
} as const;

const changeOf = ({ type, data }: LotChanged): LotAnswer['changes'][number] => {
  const to = type === 'LotRenamed' ? data.name : type === 'LotSessionCorrected' ? data.session_type : null;
  return { what: CHANGES[type], to, at: data.at };
};

/** The bounds stay what they are, whatever a workspace approves. */
const WORKSPACE_SCORERS =
  'Checks and rehearsals that say scorer: workspace were decided by a scorer of the workspace’s own, on lots unlike those that these ' +
  'figures were measured on. They hold for the shipped scorer alone; such an answer gives what was rehearsed on the workspace’s lots.';

/** The product's bounds, and apart from them the figures measured here. */
export const boundsAnswerOf = ({ model, measured }: Pick<LotFolder, 'model' | 'measured'>): BoundsAnswer => ({
  version: BOUNDS_VERSION,
  stamped: specifiedBounds.stamped,
  specified: specifiedBounds,
  measured,
  model: model.digest,
  scope: LOT_SCOPE,
  workspace_scorers: WORKSPACE_SCORERS,
});
