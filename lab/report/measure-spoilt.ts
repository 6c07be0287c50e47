/**
 * Effect on a population's scorer of wrong claims, another population's claims, and a wrong pair claimed again and again.
 */
import { counted } from './measure-claims.js';
import { drawOrder, fitTo, genuine, type Judging, judgeBank, type Order } from './measure-scorers.js';
import type { Sent } from './repeat.js';
import {
  type RepeatedPairs,
  type SpoiltBank,
  type SpoiltFigures,
  WRONG_KINDS,
  type WrongKind,
} from './scorer-figures.js';
import { rowOf, type Stones } from './stones.js';

/** A population whose first stones were measured in other sessions too, and have look-alikes. */
export interface SpoilablePopulation {
  name: string;
  drawn: Stones;
  lookAlikes: Stones;
  /** The first stones in further sessions. */
  sessions: Stones[];
}

export interface SpoiltSizes {
  judged: number;
  /** Claims of a bank, and the shares of wrong ones in it. */
  banks: { claims: number; shares: number[] }[];
  /** Genuine claims of a bank, wrong pairs in it, draws. */
  repeated: { claims: number; pairs: number; draws: number }[];
  before: number[];
}

/** Stones of which there are look-alikes. */
export const lookAlikesOf = ({ banks }: SpoiltSizes): number =>
  Math.max(...banks.flatMap(({ claims, shares }) => shares.map((share) => Math.round(claims * share))));
/** Stones that are scanned again. */
export const scannedAnew = ({ repeated }: SpoiltSizes): number =>
  Math.max(...repeated.map(({ pairs, draws }) => pairs * draws));

export const spoiltSteps = ({ banks, repeated, before }: SpoiltSizes): number =>
  banks.reduce((sum, { shares }) => sum + 2 + shares.length * WRONG_KINDS.length, 0) +
  before.length * repeated.reduce((sum, { draws }) => sum + draws, 0);

export async function measureSpoilt(
  judging: Judging,
  population: SpoilablePopulation,
  other: { name: string; stones: Stones },
  sizes: SpoiltSizes,
  onBank: () => void,
): Promise<SpoiltFigures> {
  const { name, drawn } = population;
  const from = Math.max(lookAlikesOf(sizes), scannedAnew(sizes));
  const orderOf = (draw: number) => drawOrder(name, drawn, judging.seed, draw, sizes.judged, from);
  const order = orderOf(0);
  const banks: SpoiltBank[] = [];
  const judge = async (kind: SpoiltBank['kind'], share: number, claims: Sent[]) => {
    const figures = await judgeBank(judging, name, claims, drawn, order.judged);
    banks.push({ population: name, kind, share, ...figures });
    onBank();
  };
  for (const { claims, shares } of sizes.banks) {
    const own = (count: number) => order.bank.slice(0, count).map((stone) => genuine(drawn, stone));
    await judge('none', 0, own(claims));
    for (const share of shares)
      for (const kind of WRONG_KINDS) {
        const wrong = Math.round(share * claims);
        await judge(kind, share, [...own(claims - wrong), ...wrongClaims(kind, population, order, claims, wrong)]);
      }
    const half = Math.floor(claims / 2);
    const others = drawOrder(other.name, other.stones, judging.seed, 0, sizes.judged).bank.slice(0, claims - half);
    await judge('another population', 0.5, [...own(half), ...others.map((stone) => genuine(other.stones, stone))]);
  }
  const repeated: RepeatedPairs[] = [];
  for (const { claims, pairs, draws } of sizes.repeated)
    for (const before of sizes.before) {
      let accepted = 0;
      for (let draw = 0; draw < draws; draw++) {
        const { bank } = orderOf(draw);
        const wrong = Array.from({ length: pairs }, (_, t) => ({
          rough: draw * pairs + t,
          polish: { of: drawn, stone: bank[claims + t] },
        }));
        const sent = [
          ...bank.slice(0, claims).map((stone) => genuine(drawn, stone)),
          ...population.sessions
            .slice(0, before)
            .flatMap((of) => wrong.map(({ rough, polish }): Sent => ({ rough: { of, stone: rough }, polish }))),
        ];
        const scorer = (await fitTo(judging, name, sent))?.scorer;
        if (!scorer) throw new Error(`no scorer is made of ${sent.length} claims on ${name}`);
        for (const { rough, polish } of wrong) {
          const table = scorer.core.table(rowOf(drawn, 'rough', rough), rowOf(drawn, 'polish', polish.stone));
          if (table[0] > scorer.entry(0.98).threshold) accepted++;
        }
        onBank();
      }
      repeated.push({ population: name, claims, before, accepted: counted(accepted, draws * pairs) });
    }
  return { banks, repeated };
}

/** Wrong claims of stones that no genuine claim of the bank is of. */
function wrongClaims(
  kind: WrongKind,
  { drawn, lookAlikes }: SpoilablePopulation,
  { bank }: Order,
  claims: number,
  wrong: number,
): Sent[] {
  const roughs = bank.slice(claims - wrong, claims);
  const polishes = bank.slice(claims, claims + Math.max(wrong, FURTHER));
  const sent = (rough: number, polish: number): Sent => ({
    rough: { of: drawn, stone: rough },
    polish: { of: drawn, stone: polish },
  });
  switch (kind) {
    case 'random':
      return roughs.map((rough, i) => sent(rough, polishes[i]));
    case 'one polish':
      return roughs.map((rough) => sent(rough, polishes[0]));
    case 'look-alike':
      return roughs.map((_, i) => ({ rough: { of: drawn, stone: i }, polish: { of: lookAlikes, stone: i } }));
    case 'most unlike': {
      const left = new Set(polishes);
      return roughs.map((rough) => {
        const row = rowOf(drawn, 'rough', rough);
        const cosine = (stone: number) =>
          rowOf(drawn, 'polish', stone).reduce((sum, value, i) => sum + value * row[i], 0);
        const farthest = [...left].reduce((a, b) => (cosine(b) < cosine(a) ? b : a));
        left.delete(farthest);
        return sent(rough, farthest);
      });
    }
  }
}

/** Polishes that the most unlike ones are chosen from. */
const FURTHER = 200;
