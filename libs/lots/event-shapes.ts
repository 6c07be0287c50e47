/** Members and shapes of the lot product's events. */
import { Type } from 'typebox';
import { limits } from '#config/limits';
import {
  boolean,
  count,
  described,
  encoded,
  list,
  number,
  object,
  one,
  optional,
  orNull,
  pair,
  text,
} from '#domain/schemas';
import { aDigest, anId, aScore, aTime, characters } from '#domain/shapes';
import { decodeLotVector } from '#domain/vectors';
import { LOT_STONES, RETURNED_STONES } from '#science/lots/bounds';
import { OUTCOMES } from '#science/lots/lot';
import { SESSION_TYPES } from '#science/lots/model';
import { MAX_SOURCES, SUBSTITUTES } from '#science/lots/rehearsed';

export const aLotVector = encoded(512, (value) => decodeLotVector(value) !== undefined);
const aStone = characters(limits.referenceCharacters);
const aSource = Type.Union([list(anId, MAX_SOURCES), one('cohort')]);
/** Pairs of as many members as there may be. */
const MAX_PAIRS = (LOT_STONES.max * (LOT_STONES.max - 1)) / 2;
/** Characters of who scanned and with what. */
export const MAX_SAID = 128;
const scanDigests = list(aDigest, limits.lotScans);
const stone = {
  stone: described(aStone, 'as its files are named'),
  scans: described(count, 'scans used'),
  digest: described(aDigest, 'SHA-256 of the parsed numbers, 64 hex'),
  scan_digests: described(scanDigests, 'the same of each scan'),
  vector: described(aLotVector, '96 float32, little-endian, base64'),
};
const member = {
  ...stone,
  cohort: described(aScore, 'likeness to the stones of the model’s cohort'),
  crowding: described(number(0), 'largest likeness to another member'),
};
const aPair = object({ a: described(aStone, 'a stone'), b: described(aStone, 'another') });
export const sessionType = described(one(...SESSION_TYPES), 'how the stones lay');
export const sessionSource = described(
  one('declared', 'estimated'),
  '`declared` by the caller, or `estimated` from the scans',
);
export const pairs = list(aPair, MAX_PAIRS);
export const lotWarnings = described(list(text(16_384), 64), 'as answered');
export const boundsVersion = described(text(32), 'version of the bounds that were answered');
const aShare = object({ share: described(number(0, 1), 'the share'), interval: described(pair(number(0, 1)), '95%') });
export const lotFit = described(
  orNull(
    object({
      usual: described(boolean, 'whether the published figures may be expected to hold'),
      look_alikes: described(
        object({
          share: described(number(0, 1), 'of the stones'),
          usual_to: described(number(0, 1), 'largest usual value'),
        }),
        'share of the stones with a look-alike in the lot',
      ),
      distance: described(
        object({ value: described(number(0), 'the distance'), usual_to: described(number(0), 'largest usual value') }),
        'distance of the members’ mean from the middle of the parcels that the bars were set on',
      ),
      says: described(text(4096), 'as answered'),
    }),
  ),
  'whether the lot is like those that the bars were set on: `usual`, `look_alikes`, `distance`, `says`; null where not known',
);
const workspaceScorer = described(
  orNull(
    object({
      digest: described(aDigest, 'the scorer’s, 64 hex'),
      approved_at: described(aTime, 'when it was approved'),
      lots: described(count, 'lots that it was fitted on'),
      twins: described(pairs, 'members that it cannot distinguish: `a`, `b`'),
    }),
  ),
  'the workspace’s own scorer, where one decided: `digest`, `approved_at`, `lots`, `twins`; null for the shipped one, and before version 3',
);
const scope = described(text(16_384), 'scope, as answered');
const checked = {
  session_type: sessionType,
  session_type_source: sessionSource,
  verdict: described(orNull(text(1024)), 'the check in one line; null before version 2'),
  stones: described(
    list(
      object({
        stone: described(aStone, 'as its files are named'),
        scans: described(count, 'scans used'),
        outcome: described(one(...OUTCOMES), '`confirmed`, `scan_again` or `not_confirmed`'),
        why: described(orNull(text(1024)), 'why it should be scanned again'),
        confirmed: described(boolean, 'whether it is confirmed as a member'),
        member: described(orNull(aStone), 'as which, or null'),
        score: described(aScore, 'score with that member, else with the nearest'),
        bar: described(aScore, 'what the score has to exceed'),
        margin: described(aScore, 'score less bar'),
        probability: described(orNull(number(0, 1)), 'that it is that member; null where it is not known'),
      }),
      RETURNED_STONES.max,
    ),
    'the returned stones, each with `outcome`, `why`, `confirmed`, `member`, `score`, `bar`, `margin`, `probability`',
  ),
  members: described(
    list(
      object({
        stone: described(aStone, 'the member'),
        accounted: described(boolean, 'whether a returned stone is confirmed as it'),
        by: described(orNull(aStone), 'which, or null'),
      }),
      LOT_STONES.max,
    ),
    'the members, each with `accounted` and `by` or null',
  ),
  counts: described(
    object({
      returned: described(count, 'stones'),
      confirmed: described(count, 'of these'),
      not_confirmed: described(count, 'of these'),
      members_unaccounted: described(count, 'members'),
    }),
    '`returned`, `confirmed`, `not_confirmed`, `members_unaccounted`',
  ),
  fit: lotFit,
  workspace_scorer: workspaceScorer,
  false_accept: described(
    object({
      label: described(number(0, 1), 'as the bar is labelled'),
      measured: described(orNull(aShare), 'as measured on simulated lots, or null'),
      own: described(orNull(aShare), 'of the lot itself; null before version 2'),
      open_places: described(
        orNull(
          object({
            places: described(count, 'that nothing accounts for'),
            share: described(number(0, 1), 'the share'),
            interval: described(pair(number(0, 1)), '95%'),
          }),
        ),
        'the same at the places that nothing accounts for, or null',
      ),
    }),
    'one-stone rate: `label`, and `measured`, `own`, `open_places` or null',
  ),
  own_bar: described(
    optional(
      object({
        bar: described(aScore, 'out of the lot’s own scores'),
        confirmed: described(list(aStone, RETURNED_STONES.max), 'stones that it would confirm'),
      }),
    ),
    'a second bar, which decides nothing: `bar`, `confirmed`; left out before there was one',
  ),
  warnings: lotWarnings,
  scope,
  bounds_version: boundsVersion,
};
const wish = {
  substitution: described(number(0, 1), 'share of the places vacated'),
  seed: described(count, 'seed of the draws'),
  draws: described(count, 'how many'),
  source: described(aSource, '`cohort`, or ids of the lots whose stones were offered'),
};
const aCaught = object({
  count: described(count, 'not confirmed'),
  share: described(number(0, 1), 'share of the substitutes offered'),
  interval: described(pair(number(0, 1)), '95%, over draws'),
});
const rehearsed = {
  ...wish,
  vacated: described(count, 'places vacated per draw'),
  offered: described(count, 'substitutes in all draws'),
  caught: described(
    orNull(aCaught),
    'substitutes not confirmed, the lowest of what was tried: `count`, `share`, `interval` (95%); null where nothing can be said',
  ),
  one_stone_false_accept: described(
    number(0, 1),
    'share of single substitutes that some member would confirm, the highest of what was tried',
  ),
  tried: described(
    list(
      object({
        substitutes: described(one(...SUBSTITUTES), 'whose stones were offered'),
        caught: described(aCaught, 'of them'),
        one_stone_false_accept: described(number(0, 1), 'of them'),
      }),
      SUBSTITUTES.length,
    ),
    'by whose stones were offered: `substitutes`, `caught`, `one_stone_false_accept`',
  ),
  fit: lotFit,
  workspace_scorer: workspaceScorer,
  falsely_matched: described(
    list(object({ stone: described(aStone, 'a member'), times: described(count, 'draws') }), LOT_STONES.max),
    'members that substitutes were confirmed as most often: `stone`, `times`',
  ),
  invisible_swaps: described(pairs, 'members too alike to be distinguished: `a`, `b`'),
  cohort_flatters_by: described(
    orNull(aScore),
    'share caught of the cohort less that of the lots named, or as measured where none are; null where not known',
  ),
  notes: described(list(text(4096), 16), 'as answered'),
  scope,
  bounds_version: boundsVersion,
};

/** By the name under which docs/reference/events.md shows them. */
export const lotShapes = { stone, member, checked, wish, rehearsed };

export const aKeptStone = object(stone);
export const aMember = object(member);
export const aChecked = object(checked);
export const aWish = object(wish);
export const aRehearsed = object(rehearsed);
