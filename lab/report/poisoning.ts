/** Claims by which a client could lower the thresholds of its own population. */
import type { Compute } from '#science/compute/port';
import { Random } from '../simulator/index.js';
import type { PoisonKind } from './figures.js';
import { Deck, type Sent } from './repeat.js';
import { rowOf, type Stones } from './stones.js';

export const POISONS: { [kind in PoisonKind]: string } = {
  none: 'none: genuine claims alone',
  'scanned again': 'true claims of stones already there, scanned again, without references',
  'scanned again, named': 'the same with their references',
  'one polish': 'one polish claimed against one rough after the other',
  random: 'wrong claims, stones at random',
  exchanged: 'wrong claims, the polishes of two claimed stones exchanged',
  'look-alike': 'wrong claims, polishes of look-alikes',
  'best pairs': 'wrong claims on the best-scoring pairs of stones already there, which leaves those pairs out',
  'shared references': 'no claims more: one reference for stones that score highest with each other',
  'far apart': 'wrong claims, polishes and roughs chosen to score low with each other',
  odd: 'true claims of stones chosen to score low with all others',
  invented: 'no stones: invented smooth spectra with white noise',
};

/** Stones that a client may choose as many as there are claims from; the genuine claims are of the others. */
const STOCK = 4000;

export interface Poisons {
  drawn: Stones;
  lookAlikes: Stones;
  /** The first drawn stones in another session. */
  again: Stones;
  invented: Stones;
  compute: Compute;
}

/** A client's claims. */
export interface Mixture {
  genuine: Sent[];
  poison: Sent[];
}

/** Deals mixtures one after the other. @param share of poison among the claims */
export async function poisonedClaims(
  poisons: Poisons,
  { kind, share, claims, seed }: { kind: PoisonKind; share: number; claims: number; seed: number },
): Promise<() => Promise<Mixture>> {
  const { drawn, lookAlikes, again, invented, compute } = poisons;
  const random = new Random('poison', kind, share, claims, seed);
  const poisoned = Math.round(share * claims);
  const stock = Math.min(STOCK, Math.floor(drawn.count / 3));
  const others = new Deck(random, stock, drawn.count);
  const sent = (rough: number, polish = rough): Sent => ({
    rough: { of: drawn, stone: rough },
    polish: { of: drawn, stone: polish },
  });
  const genuineClaims = (count = claims - poisoned) => others.deal(count).map((stone) => sent(stone));
  const from = (stones: number[]) => {
    const deck = new Deck(random, 0, stones.length);
    return () => deck.deal(poisoned).map((i) => stones[i]);
  };
  const first = (count: number) => from(Array.from({ length: count }, (_, i) => i));
  const both = (of: Stones, stone: number): Sent => ({ rough: { of, stone }, polish: { of, stone } });

  switch (kind) {
    case 'none':
      return async () => ({ genuine: genuineClaims(), poison: [] });
    case 'scanned again':
    case 'scanned again, named': {
      const next = first(again.count);
      return async () => {
        const stones = next();
        const before = stones.slice(0, claims - poisoned);
        const genuine = [...genuineClaims(claims - poisoned - before.length), ...before.map((i) => both(drawn, i))];
        const poison = stones.map((i) => both(again, i));
        return kind === 'scanned again'
          ? { genuine, poison }
          : { genuine: genuine.map(named), poison: poison.map(named) };
      };
    }
    case 'one polish':
      return async () => {
        const [polish, ...roughs] = others.deal(claims + 1);
        return {
          genuine: roughs.slice(poisoned).map((i) => sent(i)),
          poison: roughs.slice(0, poisoned).map((i) => sent(i, polish)),
        };
      };
    case 'random':
      return async () => {
        const stones = others.deal(claims + poisoned);
        return {
          genuine: stones.slice(poisoned, claims).map((i) => sent(i)),
          poison: stones.slice(0, poisoned).map((i, k) => sent(i, stones[claims + k])),
        };
      };
    case 'exchanged':
      return async () => {
        const stones = others.deal(claims);
        return {
          genuine: stones.slice(poisoned).map((i) => sent(i)),
          poison: stones.slice(0, poisoned).map((i, k) => sent(i, stones[k ^ 1])),
        };
      };
    case 'look-alike': {
      const next = first(Math.min(lookAlikes.count, stock));
      return async () => ({
        genuine: genuineClaims(),
        poison: next().map((i) => ({ ...sent(i), polish: { of: lookAlikes, stone: i } })),
      });
    }
    case 'best pairs':
      return async () => {
        const genuine = genuineClaims();
        const best = await bestPairs(drawn, genuine, poisoned, compute);
        return { genuine, poison: best.map(([p, q]) => sent(genuine[q].rough.stone, genuine[p].polish.stone)) };
      };
    case 'shared references':
      return async () => {
        const claimed = genuineClaims(claims);
        const renamed = sharingReferences(claimed, await bestPairs(drawn, claimed, claims * 8, compute), poisoned);
        return {
          genuine: renamed.filter(({ rough }) => rough.reference === undefined),
          poison: renamed.filter(({ rough }) => rough.reference !== undefined),
        };
      };
    case 'far apart': {
      const { polishes, roughs } = await farApart(drawn, stock, claims, compute);
      const [nextPolish, nextRough] = [from(polishes), from(roughs)];
      return async () => {
        const taken = nextPolish();
        return { genuine: genuineClaims(), poison: nextRough().map((i, k) => sent(i, taken[k])) };
      };
    }
    case 'odd': {
      const next = from(await odd(drawn, stock, claims, compute));
      return async () => ({ genuine: genuineClaims(), poison: next().map((i) => sent(i)) });
    }
    case 'invented': {
      const next = first(invented.count);
      return async () => ({ genuine: genuineClaims(), poison: next().map((i) => both(invented, i)) });
    }
  }
}

const named = ({ rough, polish }: Sent): Sent => ({
  rough: { ...rough, reference: `S${rough.stone}` },
  polish: { ...polish, reference: `S${polish.stone}` },
});

/** The claims, of which as many as are asked for bear one reference with those that they pair best with. */
function sharingReferences(claims: Sent[], pairs: [number, number][], count: number): Sent[] {
  const references = new Map<number, string>();
  for (const pair of pairs) {
    const unnamed = pair.filter((i) => !references.has(i));
    if (references.size + unnamed.length > count) break;
    const reference = pair.map((i) => references.get(i)).find((one) => one) ?? `S${references.size}`;
    for (const i of unnamed) references.set(i, reference);
  }
  return claims.map(({ rough, polish }, i) => {
    const reference = references.get(i);
    return { rough: { ...rough, reference }, polish: { ...polish, reference } };
  });
}

/** The pairs of other claims' sets that score highest, best first: the polish of one claim, the rough of another. */
async function bestPairs(drawn: Stones, claims: Sent[], count: number, compute: Compute): Promise<[number, number][]> {
  const n = claims.length;
  const rows = (side: 'rough' | 'polish') => {
    const all = new Float32Array(n * drawn.width);
    for (const [i, claim] of claims.entries()) all.set(rowOf(drawn, side, claim[side].stone), i * drawn.width);
    return all;
  };
  const table = await compute.cosines(rows('polish'), n, rows('rough'), n, drawn.width);
  const pairs = Array.from({ length: n * n }, (_, at) => at).filter((at) => Math.floor(at / n) !== at % n);
  pairs.sort((a, b) => table[b] - table[a]);
  return pairs.slice(0, count).map((at) => [Math.floor(at / n), at % n]);
}

/** Mean scores within the stock, polish by rough; the own pairs count little among so many. */
async function stockTable({ width, polish, rough }: Stones, stock: number, compute: Compute): Promise<Float32Array> {
  return compute.cosines(polish.subarray(0, stock * width), stock, rough.subarray(0, stock * width), stock, width);
}

const lowest = (values: Float64Array, among: number[], count: number): number[] =>
  among.toSorted((a, b) => values[a] - values[b]).slice(0, count);

async function odd(drawn: Stones, stock: number, count: number, compute: Compute): Promise<number[]> {
  const table = await stockTable(drawn, stock, compute);
  const sums = new Float64Array(stock);
  for (let p = 0; p < stock; p++)
    for (let q = 0; q < stock; q++) {
      sums[p] += table[p * stock + q];
      sums[q] += table[p * stock + q];
    }
  return lowest(sums, [...sums.keys()], count);
}

/** Polishes of even stones and roughs of odd ones, chosen in turns by their mean score with the others' choice. */
async function farApart(drawn: Stones, stock: number, count: number, compute: Compute) {
  const table = await stockTable(drawn, stock, compute);
  const all = Array.from({ length: stock }, (_, i) => i);
  const [even, uneven] = [all.filter((i) => i % 2 === 0), all.filter((i) => i % 2 === 1)];
  let polishes = even;
  let roughs = uneven;
  for (let turn = 0; turn < 3; turn++) {
    const sums = new Float64Array(stock);
    for (const p of even) for (const q of roughs) sums[p] += table[p * stock + q];
    polishes = lowest(sums, even, count);
    sums.fill(0);
    for (const q of uneven) for (const p of polishes) sums[q] += table[p * stock + q];
    roughs = lowest(sums, uneven, count);
  }
  return { polishes, roughs };
}
