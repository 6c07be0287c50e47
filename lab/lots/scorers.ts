/** Workspaces' own lot scorers, judged on parcels that they never saw; a workspace holds lots of one trader of a family. */

import type { ThreadPool } from '#kit/threads/pool';
import { checkLot, enrol } from '#science/lots/check';
import type { MeasuredShare } from '#science/lots/measured';
import type { LotModel } from '#science/lots/model';
import { stonesIn } from '#science/lots/score';
import { fitLotScorer, type HistoryLot } from '#science/lots/scorer/fit';
import { proposeLotScorer } from '#science/lots/scorer/propose';
import { mapped, ScoringModels } from '#science/lots/scorer/scorer';
import { Random } from '../simulator/index.js';
import { rowsOfStones } from './bars.js';
import type { MeleeFamily } from './families.js';
import { drawLot, roughsFor } from './lot.js';
import { type Count, shareOf } from './measure.js';
import { stockOf } from './parcel.js';
import type { EncodedParcel } from './scans.js';
import { encode } from './train.js';

/** Families that judge scorers, with the traders that take turns among their parcels. */
export const SCORED = { second: 3, third: 3, fourth: 2, test: 1 } as const satisfies Partial<
  Record<MeleeFamily, number>
>;
export type Scored = keyof typeof SCORED;

/** Lots that workspaces hold, in turn; one of a parcel each. */
export const HELD = [5, 10] as const;
const HELD_SIZES = [20, 30];
/** Lots that judge, and how many of a size are drawn out of a parcel. */
const JUDGED = { 20: 6, 40: 4 } as const;
const SUBSTITUTION = 0.2;
const TYPE = 'shaken';

/** One line of the table: lots of a size under the shipped scorer, or under the one of so many lots. */
export interface ScoredCell {
  family: Scored;
  /** Lots that the workspace holds; 0 for the shipped scorer. */
  held: number;
  size: number;
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
  /** By trader, what a workspace of the most lots would be answered: a proposal, or why there is none. */
  offered: { trader: number; reason: string | null }[];
}

interface Truth extends HistoryLot {
  /** Of each returned stone its member, or null for a substitute. */
  truth: (number | null)[];
}

/** Simulates a family's parcels and judges by them. @param parcels that judge, of each trader */
export async function measureScorers(
  model: LotModel,
  family: Scored,
  { seed, parcels }: { seed: number; parcels: number },
  pool: ThreadPool,
  advance: (by: number) => void,
): Promise<ScoredFamily> {
  const traders = SCORED[family];
  const most = Math.max(...HELD);
  const numbered = (from: number, count: number) =>
    Array.from({ length: traders * count }, (_, i) => ({ parcel: traders * from + i, type: TYPE }) as const);
  const held = await encode(
    pool,
    { family, seed, parcels: numbered(0, most), stones: roughsFor(Math.max(...HELD_SIZES)) },
    model,
    advance,
  );
  const judging = await encode(
    pool,
    { family, seed, parcels: numbered(most, parcels), stones: roughsFor(40) },
    model,
    advance,
  );
  const tallies = new Map<string, Tally[]>();
  const offered: ScoredFamily['offered'] = [];
  for (let trader = 0; trader < traders; trader++) {
    const of = (all: readonly EncodedParcel[]) => all.filter(({ parcel }) => parcel % traders === trader);
    const lots = of(held).map((parcel, i) => drawn(parcel, HELD_SIZES[i % HELD_SIZES.length], SUBSTITUTION, 'held'));
    const scorers = [
      { held: 0, judge: (lot: Truth) => judged(model, lot) },
      ...HELD.map((count) => {
        const { scorer } = fitLotScorer(model, lots.slice(0, count));
        const by = new ScoringModels(model, scorer).of('');
        return { held: count, judge: (lot: Truth) => judged(by, lot, scorer.map) };
      }),
    ];
    const history = lots.map((lot, i) => ({
      ...({ ...lot, check_id: `${i}`, session_type: TYPE } as const),
      stones: lot.truth.map((_, k) => `${k}`),
    }));
    const proposed = proposeLotScorer(model, history);
    offered.push({ trader, reason: 'reason' in proposed ? proposed.reason : null });
    const others = of(judging);
    for (const { held: count, judge } of scorers) {
      for (const size of [20, 40] as const) {
        const own = others.map((parcel, i) => tallyOf(parcel, others[(i + 1) % others.length], size, judge));
        const name = `${count} ${size}`;
        tallies.set(name, [...(tallies.get(name) ?? []), ...own]);
      }
    }
  }
  const cells = [0, ...HELD].flatMap((count) =>
    ([20, 40] as const).map((size): ScoredCell => {
      const all = tallies.get(`${count} ${size}`) as Tally[];
      const share = (of: keyof Tally) =>
        shareOf(
          all.map((one) => one[of]),
          `scorer ${family} ${size} ${of}`,
        ) as MeasuredShare;
      return {
        ...{ family, held: count, size, lots: all.length * JUDGED[size] },
        ...{ genuine: share('genuine'), right: share('right'), caught: share('caught'), foreign: share('foreign') },
      };
    }),
  );
  return { family, seed, traders, parcels, cells, offered };
}

interface Tally {
  genuine: Count;
  right: Count;
  caught: Count;
  foreign: Count;
}

function tallyOf(
  parcel: EncodedParcel,
  other: EncodedParcel,
  size: 20 | 40,
  judge: (lot: Truth) => (number | null)[],
): Tally {
  const none = (): Count => ({ hits: 0, of: 0 });
  const tally: Tally = { genuine: none(), right: none(), caught: none(), foreign: none() };
  const add = (count: Count, hit: boolean) => {
    count.of++;
    if (hit) count.hits++;
  };
  for (let n = 0; n < JUDGED[size]; n++) {
    const lot = drawn(parcel, size, SUBSTITUTION, 'judged', n);
    for (const [i, member] of judge(lot).entries()) {
      const is = lot.truth[i];
      if (is === null) add(tally.caught, member === null);
      else {
        add(tally.genuine, member !== null);
        add(tally.right, member === is);
      }
    }
  }
  const foreign = { ...drawn(parcel, size, 0, 'foreign'), returned: drawn(other, size, 0, 'foreign').returned };
  for (const member of judge(foreign)) add(tally.foreign, member !== null);
  return tally;
}

function drawn(parcel: EncodedParcel, size: number, substitution: number, ...purpose: (string | number)[]): Truth {
  const stock = stockOf(stonesIn(parcel.enrol));
  const random = new Random('scored lot', parcel.parcel, size, ...purpose);
  const { members, returned } = drawLot({ size, substitution, twins: false }, random, stock);
  return {
    lot_id: `parcel ${parcel.parcel}`,
    members: rowsOfStones(parcel.enrol, members),
    returned: rowsOfStones(
      parcel.back,
      returned.map(({ stone }) => stone),
    ),
    truth: returned.map(({ member }) => member),
  };
}

function judged(by: LotModel, { members, returned }: HistoryLot, map?: Float32Array): (number | null)[] {
  const under = (vectors: Float32Array) => (map ? mapped(map, vectors) : vectors);
  return checkLot(by, enrol(by, under(members)), under(returned), TYPE).stones.map(({ member }) => member);
}
