/** Members and shapes of the lot product's events. */
import { limits } from '#config';
import {
  type CheckedLot,
  LOT_STONES,
  MAX_SOURCES,
  type Pair,
  RETURNED_STONES,
  type RehearsalWish,
  type RehearsedLot,
  SESSION_TYPES,
  type SessionType,
} from '#lots';
import {
  count,
  either,
  list,
  type Member,
  type Members,
  number,
  one,
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
const scope: Member<Schema<string>> = [text(16_384), 'scope, as answered'];
const checked: Members<CheckedLot> = {
  session_type: sessionType,
  session_type_source: sessionSource,
  stones: [
    list(
      shape<CheckedLot['stones'][number]>({
        stone: [aStone, 'as its files are named'],
        scans: [count, 'scans used'],
        confirmed: [yesOrNo, 'whether it is confirmed as a member'],
        member: [orNull(aStone), 'as which, or null'],
        score: [aScore, 'against that member, else against the nearest'],
        bar: [aScore, 'what the score has to exceed'],
        margin: [aScore, 'score less bar'],
      }),
      RETURNED_STONES.max,
    ),
    'the returned stones, each with `confirmed`, `member` or null, `score`, `bar`, `margin`',
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
  false_accept: [
    shape<CheckedLot['false_accept']>({
      label: [number(0, 1), 'as the bar is labelled'],
      measured: [
        orNull(
          shape<NonNullable<CheckedLot['false_accept']['measured']>>({
            share: [number(0, 1), 'on simulated lots'],
            interval: [pair(number(0, 1)), '95%'],
          }),
        ),
        'as measured, or null',
      ],
    }),
    'one-stone rate: `label`, and `measured` or null',
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
const rehearsed: Members<RehearsedLot> = {
  ...wish,
  vacated: [count, 'places vacated a draw'],
  offered: [count, 'substitutes in all draws'],
  caught: [
    shape<RehearsedLot['caught']>({
      count: [count, 'not confirmed'],
      share: [number(0, 1), 'of those offered'],
      interval: [pair(number(0, 1)), '95%, over draws'],
    }),
    'substitutes not confirmed: `count`, `share`, `interval` (95%)',
  ],
  one_stone_false_accept: [number(0, 1), 'share of single substitutes that some member would confirm'],
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
