/** Lots as they are answered: enrolled, checked, rehearsed; and the bounds that they are answered within. */
import { type Static, Type } from 'typebox';
import { described, one, orNull, pair } from '#domain/schemas';
import { anyObject, flag, integer, number, sha256, string, texts, time, unused } from '#kit/views/shapes';
import type { specifiedBounds } from '#science/lots/bounds';
import { OUTCOMES } from '#science/lots/lot';
import type { MeasuredBounds } from '#science/lots/measured';
import { SUBSTITUTES } from '#science/lots/rehearsed';
import {
  LOT_ID,
  lotCheckSummary,
  lotCounts,
  lotName,
  lotStatus,
  retiredAt,
  shownLotId,
  shownSession,
} from './queries-shapes.js';

const share = (description: string) => Type.Number({ description, minimum: 0, maximum: 1 });
const modelDigest = sha256('digest of the lot model');
const boundsVersion = string('version of GET /api/lotscan/bounds that the answer rests on');
const sessionSource = described(one('declared', 'estimated'), 'estimated from the scans where the caller does not say');
const warnings = texts('notes that are no faults: log them');
const scope = string('the limits of the answer: keep them with the result');
const interval = described(pair(Type.Number({ minimum: 0, maximum: 1 })), '95% interval of the share');

/** The members of each depend on what was counted. */
const counted = Type.Array(anyObject(), { description: 'what was counted' });
const measuredBounds = Type.Unsafe<MeasuredBounds>(
  Type.Object(
    {
      simulated: Type.Boolean({ const: true, description: 'simulated lots, no real stones' }),
      note: string('description of the measurement'),
      model: modelDigest,
      seed: integer('seed of the parcels'),
      scans: integer('scans of every stone and visit'),
      cells: counted,
      rehearsal: counted,
      answers: Type.Optional(counted),
    },
    { $id: 'MeasuredBounds' },
  ),
);

export const boundsAnswer = Type.Object(
  {
    version: string('a change of any bound or exclusion is a new one'),
    stamped: string('date of the stamp'),
    specified: anyObject<typeof specifiedBounds>(
      'the product’s bounds and exclusions; none of them was measured by this implementation',
    ),
    measured: described(
      orNull(measuredBounds),
      'what this implementation measured; null where nothing was measured with its model',
    ),
    model: modelDigest,
    scope,
    workspace_scorers: string('what a scorer of a workspace’s own changes in these figures: nothing'),
  },
  { $id: 'LotBounds' },
);
export type BoundsAnswer = Static<typeof boundsAnswer>;

const stonePair = Type.Object({ a: string('a member'), b: string('another') }, { $id: 'StonePair' });
const lotFit = Type.Object(
  {
    usual: flag('whether the published figures may be expected to hold; where not, do not rely on the answer'),
    look_alikes: Type.Object(
      { share: share('share of the stones that have a look-alike in the lot'), usual_to: share('largest usual value') },
      { $id: 'LookAlikes' },
    ),
    distance: Type.Object(
      {
        value: number('distance of the members’ mean from the middle of the parcels that the bars were set on'),
        usual_to: number('largest usual value'),
      },
      { $id: 'LotDistance' },
    ),
    says: string('one sentence: show it wherever you show the answer'),
  },
  { $id: 'LotFit' },
);
const fit = described(
  orNull(lotFit),
  'whether the lot is like those that the bars were set on; null where that is not known',
);

const scorerOf = described(one('shipped', 'workspace'), 'the scorer that decided: the model’s, or the workspace’s own');
const workspaceScorer = described(
  orNull(
    Type.Object(
      {
        digest: sha256('digest of the scorer'),
        approved_at: time('when an operator approved it'),
        lots: integer('lots that it was fitted on'),
        twins: Type.Array(stonePair, { description: 'members that it cannot distinguish' }),
      },
      { $id: 'WorkspaceScorer' },
    ),
  ),
  'the workspace’s own scorer, where it decided; null where the shipped one did',
);

const lotMembers = {
  lot_id: shownLotId,
  name: lotName,
  stones: Type.Array(Type.Object({ stone: string('the member'), scans: integer('scans used') }, { $id: 'LotStone' })),
  session_type: shownSession,
  session_type_source: sessionSource,
  twins: Type.Array(stonePair, {
    description: 'members too alike to be distinguished: a swap between them is invisible',
  }),
  fit,
  warnings,
  unused,
  model: modelDigest,
  bounds_version: boundsVersion,
  to_do: orNull(string('advice, where another lot model serves than the lot was enrolled with')),
  status: lotStatus,
  retired_at: retiredAt,
  changes: Type.Array(
    Type.Object(
      {
        what: described(one('renamed', 'session_type_corrected', 'retired'), 'what was changed'),
        to: orNull(string('the new name or session type')),
        at: time(),
      },
      { $id: 'LotChange' },
    ),
    { description: 'since it was enrolled, oldest first' },
  ),
  enrolled_at: time(),
};
export const lotAnswer = Type.Object(lotMembers, { $id: 'Lot' });
export type LotAnswer = Static<typeof lotAnswer>;

export const lotWithChecks = Type.Object(
  {
    ...lotMembers,
    check_count: integer('all of them'),
    checks: Type.Array(lotCheckSummary, { description: 'the latest, newest first', maxItems: 100 }),
  },
  { $id: 'LotWithChecks' },
);

const measuredShare = { share: share('the share'), interval };
const measured = Type.Object(measuredShare, { $id: 'MeasuredShare' });
const openPlaces = Type.Object(
  { ...measuredShare, places: integer('members that nothing accounts for') },
  { $id: 'OpenPlaces' },
);
const returnedStone = Type.Object(
  {
    stone: string('returned stone, as its files are named'),
    scans: integer('scans used'),
    outcome: described(one(...OUTCOMES), '`scan_again`: not confirmed, and a scan may change that'),
    why: orNull(string('why it should be scanned again')),
    confirmed: flag('whether it is confirmed as a member; not confirmed is neither foreign nor absent'),
    member: orNull(string('member that it is confirmed as')),
    score: number('score with that member, else with the nearest'),
    bar: number('what the score has to exceed'),
    margin: number('score less bar; above 0 and not confirmed: another stone resembles that member more'),
    probability: orNull(
      share(
        'probability that it is that member, where a fifth of a simulated lot is exchanged; null where it is not known',
      ),
    ),
  },
  { $id: 'ReturnedStone' },
);
const falseAccept = Type.Object(
  {
    label: share('one-stone rate that the bar is labelled with'),
    measured: described(orNull(measured), 'rate on simulated lots like this one; null where none was measured'),
    own: described(
      orNull(measured),
      'rate of this very lot, by its look-alikes; null in checks from before it was known',
    ),
    open_places: described(
      orNull(openPlaces),
      'the same at the places that nothing accounts for; null where there are none',
    ),
  },
  { $id: 'FalseAccept' },
);

export const checkAnswer = Type.Object(
  {
    check_id: Type.String({
      description: 'the same return of the same lot has the same id',
      pattern: '^chk_[0-9a-f]{32}$',
    }),
    lot_id: shownLotId,
    scorer: scorerOf,
    session_type: shownSession,
    session_type_source: sessionSource,
    verdict: orNull(string('the whole check in one line; null in checks from before there was one')),
    stones: Type.Array(returnedStone),
    members: Type.Array(
      Type.Object(
        {
          stone: string('the member'),
          accounted: flag('whether a returned stone is confirmed as it'),
          by: orNull(string('which')),
        },
        { $id: 'LotMember' },
      ),
    ),
    counts: lotCounts,
    fit,
    workspace_scorer: workspaceScorer,
    false_accept: falseAccept,
    own_bar: Type.Optional(
      described(
        Type.Object(
          {
            bar: number('bar from the lot’s own scores: a tenth of its look-alikes lie above it'),
            confirmed: texts('returned stones that it would confirm: far fewer than the bar that decides'),
          },
          { $id: 'OwnBar' },
        ),
        'a second answer, which decides nothing; left out of checks from before there was one',
      ),
    ),
    warnings,
    unused,
    scope,
    bounds_version: boundsVersion,
    model: modelDigest,
    to_do: orNull(string('advice, where another lot model serves now')),
    operator: Type.Optional(string('who scanned')),
    instrument: Type.Optional(string('with what')),
    checked_at: time('when it was first checked'),
  },
  { $id: 'LotCheck' },
);
export type CheckAnswer = Static<typeof checkAnswer>;

const caught = Type.Object(
  { count: integer('not confirmed'), share: share('share of the substitutes offered'), interval },
  { $id: 'Caught' },
);
const tried = Type.Object(
  {
    substitutes: described(one(...SUBSTITUTES), 'whose stones were offered'),
    caught,
    one_stone_false_accept: share('share of single substitutes that some member would confirm'),
  },
  { $id: 'Tried' },
);
export const rehearsalAnswer = Type.Object(
  {
    rehearsal_id: Type.String({
      description: 'the same request for the same lot has the same id',
      pattern: '^reh_[0-9a-f]{32}$',
    }),
    lot_id: shownLotId,
    scorer: scorerOf,
    substitution: share('share'),
    draws: integer('how many'),
    seed: integer('seed of the draws'),
    source: Type.Unsafe<'cohort' | string[]>({
      oneOf: [{ const: 'cohort' }, { type: 'array', items: { type: 'string', pattern: LOT_ID } }],
    }),
    vacated: integer('places vacated per draw'),
    offered: integer('substitutes in all draws'),
    caught: described(
      orNull(caught),
      'the lowest of what was tried; null where no place was vacated, or the lot is not like those that the bars were set on',
    ),
    one_stone_false_accept: share(
      'share of single substitutes that some member would confirm, the highest of what was tried',
    ),
    tried: Type.Array(tried),
    fit,
    workspace_scorer: workspaceScorer,
    falsely_matched: Type.Array(
      Type.Object({ stone: string('member'), times: integer('draws') }, { $id: 'FalseMatch' }),
      { description: 'members that substitutes were confirmed as most often' },
    ),
    invisible_swaps: Type.Array(stonePair),
    cohort_flatters_by: orNull(
      number(
        'share caught of the cohort less that of the lots named, or as measured where none are; null where not known',
      ),
    ),
    notes: texts('how to read it'),
    scope,
    bounds_version: boundsVersion,
    rehearsed_at: time('when it was first rehearsed'),
  },
  { $id: 'Rehearsal' },
);
export type RehearsalAnswer = Static<typeof rehearsalAnswer>;
