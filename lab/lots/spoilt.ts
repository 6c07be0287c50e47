/** Histories that may spoil a workspace's own scorer: what comes of each, against the shipped scorer on the same lots. */
import type { MeasuredShare } from '#science/lots/measured';
import type { LotModel } from '#science/lots/model';
import { proposeLotScorer } from '#science/lots/scorer/propose';
import { type Count, shareOf } from './measure.js';
import type { EncodedParcel } from './scans.js';
import {
  drawn,
  EXCHANGED,
  foreign,
  heldLots,
  judgeBy,
  judgeOf,
  judging,
  type KnownLot,
  type Tally,
  type Trader,
  tallyOf,
} from './scored-lots.js';

/** One history, over the traders of a family; shares are of those that get a proposal. */
export interface SpoiltCell {
  family: string;
  history: string;
  traders: number;
  /** Why the others get none. */
  refused: string[];
  judged: {
    lots: number;
    genuine: { shipped: MeasuredShare; workspace: MeasuredShare; difference: MeasuredShare };
    caught: { shipped: MeasuredShare; workspace: MeasuredShare };
  } | null;
}

type Goods = Trader & Required<Pick<Trader, 'more'>>;

interface History {
  name: string;
  of(goods: Goods): KnownLot[];
  /** What judges; shaken lots of other parcels where nothing is said. */
  judgedBy?: keyof typeof JUDGES;
}

const FIRST = 10;
const FORTY = 40;
const first = ({ held }: Goods) => held.slice(0, FIRST);
const judges = (parcels: readonly EncodedParcel[]) => parcels.map((parcel) => judging(parcel, 20));
/** Lots that judge, parcel by parcel. */
const JUDGES = {
  shaken: (goods: Goods) => judges(goods.judges),
  'table-up': ({ more }: Goods) => judges(more.judgesTableUp),
  'held ones': ({ more }: Goods) => heldLots(more.later).map((lot) => [lot]),
};
const named = (lot: KnownLot, name: string): KnownLot => ({ ...lot, lot_id: name, check_id: name });
/** So many lots out of the parcels in turn, each of other stones of them. */
const drawnAgain = (parcels: readonly EncodedParcel[], count: number, substitution = EXCHANGED) =>
  Array.from({ length: count }, (_, n) => {
    const parcel = parcels[n % parcels.length];
    return named(drawn(parcel, 20, substitution, 'again', n), `lot ${n}`);
  });
/** The same stones enrolled so often, in turn as they were scanned at one visit and the other. */
const copies = (lot: KnownLot, count: number) =>
  Array.from({ length: count }, (_, n) =>
    named(n % 2 === 0 ? lot : { ...lot, members: lot.returned, returned: lot.members }, `copy ${n}`),
  );
/** Ten lots, of which so many come back as wholly another parcel's stones. */
const someForeign = (goods: Goods, count: number) =>
  heldLots(first(goods)).map((lot, i) => (i < count ? foreign(lot, goods.held[(i + 1) % FIRST]) : lot));

const HISTORIES: readonly History[] = [
  { name: '10 lots, a fifth of each return exchanged', of: (goods) => heldLots(first(goods)) },
  ...[3, 5, 7, 9].map((count) => ({
    name: `of 10 returns ${count} wholly foreign`,
    of: (goods: Goods) => someForeign(goods, count),
  })),
  ...[0.4, 0.6, 0.8].map((share) => ({
    name: `${100 * share}% of each return exchanged`,
    of: (goods: Goods) => drawnAgain(first(goods), FIRST, share),
  })),
  {
    name: 'one lot checked 40 times, each return another one',
    of: ({ held: [parcel] }) => {
      const { members } = drawn(parcel, 20, 0, 'once');
      return drawnAgain([parcel], FORTY).map((lot) => ({ ...lot, members }));
    },
  },
  { name: 'one lot enrolled 40 times', of: ({ held: [parcel] }) => copies(drawn(parcel, 20, 0, 'once'), FORTY) },
  {
    name: '5 lots, and one of them 35 times more',
    of: (goods) => [...copies(drawn(goods.held[0], 20, 0, 'once'), 35), ...heldLots(goods.held.slice(0, 5))],
  },
  {
    name: '10 lots, each checked 4 times over with the same return',
    of: (goods) => [0, 1, 2, 3].flatMap((n) => heldLots(first(goods)).map((lot) => named(lot, `${lot.lot_id} ${n}`))),
  },
  { name: '40 lots drawn out of the stones of 2 parcels', of: (goods) => drawnAgain(goods.held.slice(0, 2), FORTY) },
  {
    name: '5 lots of the trader, 5 of another family',
    of: ({ held, more: { others } }) => heldLots([...held.slice(0, 5), ...others.slice(0, 5)]),
  },
  {
    name: '1 lot of the trader, 9 of another family',
    of: ({ held, more: { others } }) => heldLots([held[0], ...others]),
  },
  {
    name: '5 lots shaken, 5 table-up; judged shaken',
    of: ({ held, more: { tableUp } }) => heldLots([...held.slice(0, 5), ...tableUp.slice(5)]),
  },
  {
    name: '5 lots shaken, 5 table-up; judged table-up',
    of: ({ held, more: { tableUp } }) => heldLots([...held.slice(0, 5), ...tableUp.slice(5)]),
    judgedBy: 'table-up',
  },
  {
    name: '10 lots shaken; judged table-up',
    of: (goods) => heldLots(first(goods)),
    judgedBy: 'table-up',
  },
  {
    name: '10 lots table-up; judged shaken',
    of: ({ more }) => heldLots(more.tableUp),
  },
  {
    name: '10 lots, which are enrolled anew after the fit and judge',
    of: (goods) => heldLots(first(goods)),
    judgedBy: 'held ones',
  },
];

/** Lots of a parcel, and what the shipped scorer makes of them. */
interface Judged {
  lots: KnownLot[];
  shipped: Tally;
}

export function spoiltCells(model: LotModel, family: string, traders: readonly Trader[]): SpoiltCell[] {
  const goods = traders.filter((trader): trader is Goods => trader.more !== undefined);
  if (goods.length === 0) return [];
  const shipped = judgeBy(model);
  const judged = goods.map((one) => {
    const known = new Map<keyof typeof JUDGES, Judged[]>();
    return (by: keyof typeof JUDGES): Judged[] => {
      if (!known.has(by))
        known.set(
          by,
          JUDGES[by](one).map((lots) => ({ lots, shipped: tallyOf(lots, shipped) })),
        );
      return known.get(by) as Judged[];
    };
  });
  return HISTORIES.map(({ name, of, judgedBy = 'shaken' }): SpoiltCell => {
    const refused: string[] = [];
    const tallies: (Judged & { workspace: Tally })[] = [];
    for (const [trader, one] of goods.entries()) {
      const outcome = proposeLotScorer(model, of(one));
      if ('reason' in outcome) {
        refused.push(outcome.reason);
        continue;
      }
      const workspace = judgeOf(model, outcome.scorer);
      for (const of of judged[trader](judgedBy)) tallies.push({ ...of, workspace: tallyOf(of.lots, workspace) });
    }
    const share = (what: string, count: (one: (typeof tallies)[number]) => Count) =>
      shareOf(tallies.map(count), `spoilt ${family} ${name} ${what}`) as MeasuredShare;
    return {
      ...{ family, history: name, traders: goods.length, refused },
      judged:
        tallies.length === 0
          ? null
          : {
              lots: tallies.reduce((sum, { lots }) => sum + lots.length, 0),
              genuine: {
                shipped: share('shipped', ({ shipped }) => shipped.genuine),
                workspace: share('workspace', ({ workspace }) => workspace.genuine),
                difference: share('difference', ({ shipped, workspace }) => ({
                  hits: workspace.genuine.hits - shipped.genuine.hits,
                  of: workspace.genuine.of,
                })),
              },
              caught: {
                shipped: share('caught', ({ shipped }) => shipped.caught),
                workspace: share('caught', ({ workspace }) => workspace.caught),
              },
            },
    };
  });
}
