/** Lots and workspaces as listings answer them. */
import { type Static, Type } from 'typebox';
import { described, one, orNull } from '#domain/schemas';
import { flag, integer, string, texts, time } from '#kit/views/shapes';
import { SESSION_TYPES } from '#science/lots/model';

export const LOT_ID = '^lot_[0-9a-f]{32}$';
export const shownLotId = Type.String({ description: 'id of the lot', pattern: LOT_ID });
export const shownSession = described(one(...SESSION_TYPES), 'how the stones lay');
export const lotName = string('as the workspace calls it');
export const lotStatus = described(one('active', 'retired'), 'a retired lot is read, and no longer checked');
export const retiredAt = orNull(time('when it was retired'));
const usual = orNull(flag('whether the lot is like those that the bars were set on; null where that is not known'));

export const lotCounts = Type.Object(
  {
    returned: integer('stones'),
    confirmed: integer('of these'),
    not_confirmed: integer('of these'),
    members_unaccounted: integer('members that no returned stone is confirmed as'),
  },
  { $id: 'LotCounts' },
);

export const lotCheckSummary = Type.Object(
  {
    check_id: string('the check'),
    session_type: shownSession,
    verdict: orNull(string('the check in one line; null in checks from before there was one')),
    usual,
    counts: lotCounts,
    not_confirmed: texts('returned stones'),
    checked_at: time(),
  },
  { $id: 'LotCheckSummary' },
);
export type LotCheckSummary = Static<typeof lotCheckSummary>;

export const lotSummary = Type.Object(
  {
    lot_id: shownLotId,
    name: lotName,
    stones: integer('members'),
    session_type: shownSession,
    usual,
    status: lotStatus,
    retired_at: retiredAt,
    enrolled_at: time(),
    checks: integer('number of checks of the lot'),
  },
  { $id: 'LotSummary' },
);
export type LotSummary = Static<typeof lotSummary>;

const workspaceCounts = Type.Object(
  { created: integer('in the window'), revoked: integer('in the window') },
  { $id: 'WorkspaceCounts' },
);
const stoneCounts = Type.Object(
  {
    enrolled: integer('members of the lots enrolled'),
    confirmed: integer('returned stones confirmed as members'),
    not_confirmed: integer('returned stones that were not'),
  },
  { $id: 'StoneCounts' },
);
export const lotActivity = Type.Object(
  {
    workspaces: workspaceCounts,
    enrolled: integer('lots'),
    checked: integer('returns'),
    rehearsed: integer('rehearsals'),
    stones: stoneCounts,
  },
  { $id: 'LotActivity' },
);
export type LotActivity = Static<typeof lotActivity>;
