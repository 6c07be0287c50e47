/** Workspaces' own lot scorers, judged on parcels that they never saw; a workspace holds lots of one trader of a family. */

import type { ThreadPool } from '#kit/threads/pool';
import type { MeasuredShare } from '#science/lots/measured';
import type { LotModel } from '#science/lots/model';
import { fitLotScorer } from '#science/lots/scorer/fit';
import { proposeLotScorer } from '#science/lots/scorer/propose';
import type { MeleeFamily } from './families.js';
import { roughsFor } from './lot.js';
import { type Count, shareOf } from './measure.js';
import type { Visit } from './parcel.js';
import type { EncodedParcel } from './scans.js';
import {
  drawn,
  foreign,
  heldLots,
  JUDGED,
  type Judge,
  type JudgedSize,
  judgeBy,
  judgeOf,
  judging,
  LARGEST_HELD,
  type Tally,
  type Trader,
  tallyOf,
} from './scored-lots.js';
import { type SpoiltCell, spoiltCells } from './spoilt.js';
import { encode } from './train.js';

/** Families that judge scorers, with the traders that take turns among their parcels. */
export const SCORED = { second: 3, third: 3, fourth: 2, test: 1 } as const satisfies Partial<
  Record<MeleeFamily, number>
>;
export type Scored = keyof typeof SCORED;

/** Where table-up and histories that may spoil a scorer are measured too, with the family of other goods. */
const SPOILT: Partial<Record<Scored, MeleeFamily>> = { second: 'third', third: 'second' };

/** Lots that workspaces hold; one of a parcel each, forty of two families. */
const HELD = [5, 10, 40] as const;
const FIRST = 10;
const heldBy = (family: Scored): readonly number[] =>
  family === 'second' || family === 'third' ? HELD : HELD.slice(0, 2);

/** One line of the table: lots of a size and session type under the shipped scorer, or under one of a workspace. */
export interface ScoredCell {
  family: Scored;
  session: 'shaken' | 'table-up';
  /** Lots that the workspace holds, or `shipped`. */
  held: string;
  size: JudgedSize;
  lots: number;
  genuine: MeasuredShare;
  /** Members confirmed as themselves. */
  right: MeasuredShare;
  caught: MeasuredShare;
  /** Stones confirmed of returns that are wholly another parcel's. */
  foreign: MeasuredShare;
}

export interface ScoredFamily {
  family: Scored;
  seed: number;
  traders: number;
  /** Parcels that judge, of each trader. */
  parcels: number;
  cells: ScoredCell[];
  /** By trader, what a workspace of ten lots would be answered: a proposal, or why there is none. */
  offered: { trader: number; reason: string | null }[];
  spoilt: SpoiltCell[];
}

/** Parcels that `measureScorers` simulates. */
export function parcelsOf(family: Scored, parcels: number): number {
  const ofOne = Math.max(...heldBy(family)) + parcels;
  return SCORED[family] * (SPOILT[family] ? ofOne + 2 * FIRST + parcels + 9 : ofOne);
}

type Encoding = { type?: EncodedParcel['type']; visits?: readonly [Visit, Visit]; of?: MeleeFamily; stones?: number };

/** Simulates a family's parcels and judges by them. @param parcels that judge, of each trader */
export async function measureScorers(
  model: LotModel,
  family: Scored,
  { seed, parcels }: { seed: number; parcels: number },
  pool: ThreadPool,
  advance: (by: number) => void,
): Promise<ScoredFamily> {
  const traders = SCORED[family];
  const encoded = (from: number, count: number, { type = 'shaken', visits, of = family, stones }: Encoding = {}) => {
    const numbers = Array.from({ length: traders * count }, (_, i) => ({ parcel: traders * from + i, type }));
    const job = { family: of, seed, parcels: numbers, stones: stones ?? roughsFor(LARGEST_HELD), visits };
    return encode(pool, job, model, advance);
  };
  const most = Math.max(...heldBy(family));
  const stones = roughsFor(40);
  const held = [...(await encoded(0, FIRST)), ...(await encoded(FIRST + parcels, most - FIRST))];
  const judges = await encoded(FIRST, parcels, { stones });
  const other = SPOILT[family];
  const more = other && {
    tableUp: await encoded(0, FIRST, { type: 'table-up' }),
    judgesTableUp: await encoded(FIRST, parcels, { type: 'table-up', stones }),
    later: await encoded(0, FIRST, { visits: ['enrol again', 'return again'] }),
    others: await encoded(FIRST + parcels, FIRST - 1, { of: other }),
  };
  const all = Array.from({ length: traders }, (_, trader): Trader => {
    const of = (some: readonly EncodedParcel[]) => some.filter(({ parcel }) => parcel % traders === trader);
    const { tableUp, judgesTableUp, later, others } = more ?? {};
    return {
      ...{ trader, held: of(held), judges: of(judges) },
      ...(tableUp &&
        judgesTableUp &&
        later &&
        others && {
          more: { tableUp: of(tableUp), judgesTableUp: of(judgesTableUp), later: of(later), others: of(others) },
        }),
    };
  });
  return {
    ...{ family, seed, traders, parcels },
    cells: cellsOf(model, family, all),
    offered: all.map(({ trader, held: of }) => {
      const proposed = proposeLotScorer(model, heldLots(of.slice(0, FIRST)));
      return { trader, reason: 'reason' in proposed ? proposed.reason : null };
    }),
    spoilt: spoiltCells(model, family, all),
  };
}

interface Plan {
  session: ScoredCell['session'];
  held: string;
  judge(trader: Trader): Judge;
}

function plansOf(model: LotModel, family: Scored, spoilt: boolean): Plan[] {
  const fitted = (parcels: readonly EncodedParcel[]) => judgeOf(model, fitLotScorer(model, heldLots(parcels)).scorer);
  const plan = (session: Plan['session'], held: string, judge: Plan['judge']): Plan => ({ session, held, judge });
  const shipped = () => judgeBy(model);
  const both = ({ held, more }: Trader) => fitted(alternately(held.slice(0, FIRST), more?.tableUp ?? []));
  return [
    plan('shaken', 'shipped', shipped),
    ...heldBy(family).map((count) => plan('shaken', `${count}`, ({ held }) => fitted(held.slice(0, count)))),
    ...(spoilt
      ? [
          plan('shaken', '5 shaken, 5 table-up', both),
          plan('table-up', 'shipped', shipped),
          plan('table-up', '10', ({ more }) => fitted(more?.tableUp ?? [])),
          plan('table-up', '5 shaken, 5 table-up', both),
          plan('table-up', '10 shaken', ({ held }) => fitted(held.slice(0, FIRST))),
        ]
      : []),
  ];
}

function cellsOf(model: LotModel, family: Scored, traders: readonly Trader[]): ScoredCell[] {
  return plansOf(model, family, SPOILT[family] !== undefined).flatMap(({ session, held, judge }) => {
    const judged = traders.map((trader) => ({
      by: judge(trader),
      parcels: session === 'shaken' ? trader.judges : (trader.more?.judgesTableUp ?? []),
    }));
    return ([20, 40] as const).map((size): ScoredCell => {
      const tallies = judged.flatMap(({ by, parcels }) => parcels.map((_, i) => parcelTally(parcels, i, size, by)));
      const share = (of: keyof ParcelTally) =>
        shareOf(
          tallies.map((one) => one[of]),
          `scorer ${family} ${size} ${of}`,
        ) as MeasuredShare;
      return {
        ...{ family, session, held, size, lots: tallies.length * JUDGED[size] },
        ...{ genuine: share('genuine'), right: share('right'), caught: share('caught'), foreign: share('foreign') },
      };
    });
  });
}

interface ParcelTally extends Tally {
  foreign: Count;
}

function parcelTally(parcels: readonly EncodedParcel[], i: number, size: JudgedSize, judge: Judge): ParcelTally {
  const whole = foreign(drawn(parcels[i], size, 0, 'foreign'), parcels[(i + 1) % parcels.length]);
  return { ...tallyOf(judging(parcels[i], size), judge), foreign: confirmedOf(judge(whole)) };
}

const confirmedOf = (members: readonly (number | null)[]): Count => ({
  hits: members.filter((member) => member !== null).length,
  of: members.length,
});

/** Of the parcels every other one, of the others the rest. */
export const alternately = (some: readonly EncodedParcel[], others: readonly EncodedParcel[]): EncodedParcel[] =>
  some.map((parcel, i) => (i % 2 === 0 ? parcel : others[i]));
