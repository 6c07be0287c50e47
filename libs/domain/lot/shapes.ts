/** Members and shapes of the lot product's events. */
import { limits } from '#config';
import {
  type Caught,
  type CheckedLot,
  LOT_STONES,
  type LotFit,
  MAX_SOURCES,
  type MeasuredShare,
  OUTCOMES,
  type Pair,
  RETURNED_STONES,
  type RehearsalWish,
  type RehearsedLot,
  SESSION_TYPES,
  type SessionType,
  SUBSTITUTES,
} from '#lots';
import {
  count,
  either,
  list,
  type Member,
  type Members,
  number,
  one,
  optional,
  orNull,
  pair,
  type Schema,
  shape,
  text,
  yesOrNo,
} from '../schema.js';
import { aDigest, anId, aScore, characters } from '../shapes.js';
import { decodeLotVector } from './decide.js';
import type { KeptStone, MemberStone } from './events.js';

export const aLotVector = text(512, (value) => decodeLotVector(value) !== undefined);
const aStone = characters(limits.referenceCharacters);
const aSource = either(one('cohort'), list(anId, MAX_SOURCES));
/** Pairs of as many members as there may be. */
const MAX_PAIRS = (LOT_STONES.max * (LOT_STONES.max - 1)) / 2;
/** Characters of who scanned and with what. */
export const MAX_SAID = 128;
const scanDigests = list(aDigest, limits.lotScans);
const stone: Members<KeptStone> = {
  stone: [aStone, 'as its files are named'],
  scans: [count, 'scans used'],
  digest: [aDigest, 'SHA-256 of the parsed numbers, 64 hex'],
  scan_digests: [scanDigests, 'the same of each scan'],
  vector: [aLotVector, '96 float32, little-endian, base64'],
};
const member: Members<MemberStone> = {
  ...stone,
  cohort: [aScore, 'likeness to the stones of the model’s cohort'],
  crowding: [number(0), 'largest likeness to another member'],
};
const aPair = shape<Pair>({ a: [aStone, 'a stone'], b: [aStone, 'another'] });
export const sessionType: Member<Schema<SessionType>> = [one(...SESSION_TYPES), 'how the stones lay'];
export const sessionSource: Member<Schema<'declared' | 'estimated'>> = [
  one('declared', 'estimated'),
  '`declared` by the caller, or `estimated` from the scans',
];
export const pairs = list(aPair, MAX_PAIRS);
export const lotWarnings: Member<Schema<string[]>> = [list(text(16_384), 64), 'as answered'];
export const boundsVersion: Member<Schema<string>> = [text(32), 'version of the bounds that were answered'];
const aShare = shape<MeasuredShare>({
  share: [number(0, 1), 'the share'],
  interval: [pair(number(0, 1)), '95%'],
});
export const lotFit: Member<Schema<LotFit | null>> = [
  orNull(
    shape<LotFit>({
      usual: [yesOrNo, 'whether the published figures may be expected to hold'],
      look_alikes: [
        shape<LotFit['look_alikes']>({
          share: [number(0, 1), 'of the stones'],
          usual_to: [number(0, 1), 'usual up to'],
        }),
        'share of the stones with a look-alike in the lot',
      ],
      distance: [
        shape<LotFit['distance']>({ value: [number(0), 'the distance'], usual_to: [number(0), 'usual up to'] }),
        'of the members’ mean from the middle of the parcels that the bars were set on',
      ],
      says: [text(4096), 'as answered'],
    }),
  ),
  'whether the lot is like those that the bars were set on: `usual`, `look_alikes`, `distance`, `says`; null where not known',
];
const scope: Member<Schema<string>> = [text(16_384), 'scope, as answered'];
const checked: Members<CheckedLot> = {
  session_type: sessionType,
  session_type_source: sessionSource,
  verdict: [orNull(text(1024)), 'the check in one line; null before version 2'],
  stones: [
    list(
      shape<CheckedLot['stones'][number]>({
        stone: [aStone, 'as its files are named'],
        scans: [count, 'scans used'],
        outcome: [one(...OUTCOMES), '`confirmed`, `scan_again` or `not_confirmed`'],
        why: [orNull(text(1024)), 'why it should be scanned again'],
        confirmed: [yesOrNo, 'whether it is confirmed as a member'],
        member: [orNull(aStone), 'as which, or null'],
        score: [aScore, 'against that member, else against the nearest'],
        bar: [aScore, 'what the score has to exceed'],
        margin: [aScore, 'score less bar'],
        probability: [orNull(number(0, 1)), 'that it is that member; null where nobody can say'],
      }),
      RETURNED_STONES.max,
    ),
    'the returned stones, each with `outcome`, `why`, `confirmed`, `member`, `score`, `bar`, `margin`, `probability`',
  ],
  members: [
    list(
      shape<CheckedLot['members'][number]>({
        stone: [aStone, 'the member'],
        accounted: [yesOrNo, 'whether a returned stone is confirmed as it'],
        by: [orNull(aStone), 'which, or null'],
      }),
      LOT_STONES.max,
    ),
    'the members, each with `accounted` and `by` or null',
  ],
  counts: [
    shape<CheckedLot['counts']>({
      returned: [count, 'stones'],
      confirmed: [count, 'of these'],
      not_confirmed: [count, 'of these'],
      members_unaccounted: [count, 'members'],
    }),
    '`returned`, `confirmed`, `not_confirmed`, `members_unaccounted`',
  ],
  fit: lotFit,
  false_accept: [
    shape<CheckedLot['false_accept']>({
      label: [number(0, 1), 'as the bar is labelled'],
      measured: [orNull(aShare), 'as measured on simulated lots, or null'],
      own: [orNull(aShare), 'of the lot itself; null before version 2'],
      open_places: [
        orNull(
          shape<NonNullable<CheckedLot['false_accept']['open_places']>>({
            places: [count, 'that nothing accounts for'],
            share: [number(0, 1), 'the share'],
            interval: [pair(number(0, 1)), '95%'],
          }),
        ),
        'the same at the places that nothing accounts for, or null',
      ],
    }),
    'one-stone rate: `label`, and `measured`, `own`, `open_places` or null',
  ],
  own_bar: [
    optional(
      shape<NonNullable<CheckedLot['own_bar']>>({
        bar: [aScore, 'out of the lot’s own scores'],
        confirmed: [list(aStone, RETURNED_STONES.max), 'stones that it would confirm'],
      }),
    ),
    'a second bar, which decides nothing: `bar`, `confirmed`; left out before there was one',
  ],
  warnings: lotWarnings,
  scope,
  bounds_version: boundsVersion,
};
const wish: Members<RehearsalWish> = {
  substitution: [number(0, 1), 'share of the places vacated'],
  seed: [count, 'of the draws'],
  draws: [count, 'how many'],
  source: [aSource, '`cohort`, or ids of the lots whose stones were offered'],
};
const aCaught = shape<Caught>({
  count: [count, 'not confirmed'],
  share: [number(0, 1), 'of those offered'],
  interval: [pair(number(0, 1)), '95%, over draws'],
});
const rehearsed: Members<RehearsedLot> = {
  ...wish,
  vacated: [count, 'places vacated a draw'],
  offered: [count, 'substitutes in all draws'],
  caught: [
    orNull(aCaught),
    'substitutes not confirmed, the lowest of what was tried: `count`, `share`, `interval` (95%); null where nothing can be said',
  ],
  one_stone_false_accept: [
    number(0, 1),
    'share of single substitutes that some member would confirm, the highest of what was tried',
  ],
  tried: [
    list(
      shape<RehearsedLot['tried'][number]>({
        substitutes: [one(...SUBSTITUTES), 'whose stones were offered'],
        caught: [aCaught, 'of them'],
        one_stone_false_accept: [number(0, 1), 'of them'],
      }),
      SUBSTITUTES.length,
    ),
    'by whose stones were offered: `substitutes`, `caught`, `one_stone_false_accept`',
  ],
  fit: lotFit,
  falsely_matched: [
    list(
      shape<RehearsedLot['falsely_matched'][number]>({ stone: [aStone, 'a member'], times: [count, 'draws'] }),
      LOT_STONES.max,
    ),
    'members that substitutes were confirmed as most often: `stone`, `times`',
  ],
  invisible_swaps: [pairs, 'members too alike to be distinguished: `a`, `b`'],
  cohort_flatters_by: [
    orNull(aScore),
    'share caught of the cohort less that of the lots named, or as measured where none are; null where not known',
  ],
  notes: [list(text(4096), 16), 'as answered'],
  scope,
  bounds_version: boundsVersion,
};

/** By the name under which docs/events.md shows them. */
export const lotShapes = { stone, member, checked, wish, rehearsed };

export const aKeptStone = shape<KeptStone>(stone);
export const aMember = shape<MemberStone>(member);
export const aChecked = shape<CheckedLot>(checked);
export const aWish = shape<RehearsalWish>(wish);
export const aRehearsed = shape<RehearsedLot>(rehearsed);
