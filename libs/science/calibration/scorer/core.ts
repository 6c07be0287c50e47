/** Scores by the map without the folds of a claim's nearest neighbours, normalised by the stones left. */
import { SimdKernel } from '#science/compute/simd-kernel';
import { scoreOf, VECTOR_LENGTH } from '../evidence.js';
import { type BankSide, type ClaimBank, firstClaims, rowOfBank, SIDES } from './bank.js';
import type { ScorerMap } from './map.js';
import { type Best, Cohort, PackedMap } from './mapped.js';
import {
  bestOf,
  foldBit,
  LEFT_OUT,
  MOST_FOLDS_LEFT_OUT,
  neighbourBy,
  normShares,
  type ScorerMethod,
} from './method.js';
import { NeighbourIndex, type Neighbours } from './neighbours.js';
import type { Steps } from './steps.js';

/** The parts of a scorer. */
export interface ScorerParts {
  method: ScorerMethod;
  bank: ClaimBank;
  /** By claim, numbered from 0 in the order of their first claims. */
  groups: Int32Array;
  /** In the order of LEFT_OUT. */
  maps: ScorerMap[];
}

/** A score, and each encoder's part in it; the score is their mean. */
export interface MappedScore {
  fused: number;
  members: number[];
}

/** The parts of the bank that have no share in a claim's score. */
interface LeftOut {
  groups: readonly number[];
  /** Groups among them that hold no scan of the claim: a norm takes one best score less for each. */
  others: number;
  /** Folds that the map is without, as bits. */
  folds: number;
}

const NOTHING: LeftOut = { groups: [], others: 0, folds: 0 };

/** A map, and the bank's stones under it, made at the first need. */
class Applied {
  private readonly cohorts: Partial<Record<BankSide, Cohort>> = {};

  constructor(
    readonly map: PackedMap,
    private readonly stones: (side: BankSide) => Float32Array,
    private readonly groups: number,
  ) {}

  cohort(side: BankSide): Cohort {
    this.cohorts[side] ??= new Cohort(this.map, this.map.apply(side, this.stones(side), this.groups), this.groups);
    return this.cohorts[side];
  }
}

export class ScorerCore {
  readonly groups: number;
  private readonly kernel = SimdKernel.create();
  private readonly first: number[];
  private readonly shares: ReturnType<typeof normShares>;
  private made: NeighbourIndex | undefined;
  private readonly applied = new Map<number, Applied>();

  constructor(private readonly parts: ScorerParts) {
    this.first = firstClaims(parts.groups);
    this.groups = this.first.length;
    this.shares = normShares(parts.method, this.groups);
  }

  /** Prepares the parts that nearly every claim needs, so that the first one does not wait for them. */
  *prepare(): Steps<void> {
    for (const side of SIDES) {
      this.index.prepare(side);
      yield;
    }
    for (const side of SIDES) {
      this.under(0).cohort(side);
      yield;
    }
  }

  private get index(): NeighbourIndex {
    const { bank, maps, method } = this.parts;
    this.made ??= new NeighbourIndex(this.kernel, bank, maps[0], neighbourBy(method));
    return this.made;
  }

  /** Scores a claim. @param both rough and polish, encoders x 256 each */
  score(both: Float32Array): MappedScore {
    const { bank } = this.parts;
    const half = both.length / 2;
    const cosine = (side: BankSide, vectors: Float32Array) => (claim: number) =>
      scoreOf(vectors, rowOfBank(bank, side, claim), bank.encoders);
    const { groups, others, folds } = this.leftOut(
      this.index.ofPair(both),
      cosine('rough', both.subarray(0, half)),
      cosine('polish', both.subarray(half)),
    );
    const under = this.under(folds);
    const { map } = under;
    const [r, p] = map.pair(both);
    const members = map.cosines(r, p, new Float64Array(bank.encoders));
    const cosines = new Float64Array(bank.encoders);
    const { own, rest, none } = this.shares;
    for (const [side, cohort] of [
      [r, under.cohort('polish')],
      [p, under.cohort('rough')],
    ] as const) {
      const count = bestOf(this.groups, others);
      const best = taken(cohort.best(side, 1, count + groups.length)[0], groups, count);
      for (const { group } of best) {
        map.cosines(side, cohort.row(group), cosines);
        for (let encoder = 0; encoder < members.length; encoder++)
          members[encoder] -= (own * cosines[encoder]) / (2 * best.length);
      }
      const left = rest + (best.length === 0 ? own * none : 0);
      for (let encoder = 0; encoder < members.length; encoder++) members[encoder] -= left / 2;
    }
    return { fused: members.reduce((sum, member) => sum + member, 0) / bank.encoders, members: [...members] };
  }

  /**
   * Scores all pairs of sides, in float32 where `score` has float64.
   * @param roughs and @param polishes rows of encoders x 256
   * @param withoutFolds that the map is without in place of the neighbours', as bits
   * @returns polishes x roughs
   */
  table(roughs: Float32Array, polishes: Float32Array, withoutFolds?: number): Float32Array {
    const { bank } = this.parts;
    const width = bank.encoders * VECTOR_LENGTH;
    const [across, down] = [roughs.length / width, polishes.length / width];
    const near = (side: BankSide, rows: Float32Array, count: number) =>
      Array.from({ length: count }, (_, i) => this.index.of(side, rows.subarray(i * width, (i + 1) * width)));
    const raw = (side: BankSide, rows: Float32Array, count: number) =>
      this.kernel.productRightTransposed(rows, bank[side], count, width, bank.claims);
    const [nearRough, nearPolish] = [near('rough', roughs, across), near('polish', polishes, down)];
    const [rawRough, rawPolish] = [raw('rough', roughs, across), raw('polish', polishes, down)];
    const left: LeftOut[] = new Array(across * down);
    const used = new Set<number>();
    let most = 0;
    for (let p = 0; p < down; p++)
      for (let q = 0; q < across; q++) {
        const out = this.leftOut(
          { rough: nearRough[q], polish: nearPolish[p] },
          (claim) => rawRough[q * bank.claims + claim],
          (claim) => rawPolish[p * bank.claims + claim],
        );
        left[p * across + q] = withoutFolds === undefined ? out : { ...out, folds: withoutFolds };
        used.add(left[p * across + q].folds);
        most = Math.max(most, out.groups.length);
      }
    const count = bestOf(this.groups);
    const { rest, none } = this.shares;
    const mean = (best: Best, without: readonly number[], most: number) =>
      this.shares.own * (meanOf(best, without, most) ?? none * bank.encoders);
    const scores = new Float32Array(across * down);
    for (const folds of used) {
      const under = this.under(folds);
      const [a, b] = [under.map.apply('polish', polishes, down), under.map.apply('rough', roughs, across)];
      const own = this.kernel.productRightTransposed(a, b, down, under.map.width, across);
      const bestPolish = under.cohort('rough').best(a, down, count + most);
      const bestRough = under.cohort('polish').best(b, across, count + most);
      const [wholePolish, wholeRough] = [bestPolish, bestRough].map((all) => all.map((one) => mean(one, [], count)));
      for (let p = 0, at = 0; p < down; p++)
        for (let q = 0; q < across; q++, at++) {
          const { groups, others, folds: without } = left[at];
          if (without !== folds) continue;
          const none = groups.length === 0;
          const fewer = bestOf(this.groups, others);
          const norm =
            (none ? wholePolish[p] : mean(bestPolish[p], groups, fewer)) +
            (none ? wholeRough[q] : mean(bestRough[q], groups, fewer));
          scores[at] = (own[at] - norm / 2) / bank.encoders - rest;
        }
    }
    return scores;
  }

  /**
   * Groups with a neighbour on either side take no part in the norms. The map is without their folds: where there are
   * more of those than maps, without the folds of the claims that are nearest on both sides, by the farther side.
   */
  private leftOut(
    near: Record<BankSide, Neighbours>,
    rough: (claim: number) => number,
    polish: (claim: number) => number,
  ): LeftOut {
    const { rough: nearRough, polish: nearPolish } = near;
    if (nearRough.claims.length === 0 && nearPolish.claims.length === 0) return NOTHING;
    const { groups, method } = this.parts;
    const claims = [...new Set([...nearRough.claims, ...nearPolish.claims])];
    const out = [...new Set(claims.map((claim) => groups[claim]))];
    const own = new Set([...nearRough.same, ...nearPolish.same].map((claim) => groups[claim]));
    const others = method === 'population-scorer/1' ? 0 : out.length - own.size;
    let folds = out.reduce((bits, group) => bits | foldBit(group), 0);
    if (LEFT_OUT.includes(folds)) return { groups: out, others, folds };
    folds = 0;
    const nearest = claims.map((claim) => ({ claim, closeness: Math.min(rough(claim), polish(claim)) }));
    nearest.sort((a, b) => b.closeness - a.closeness || a.claim - b.claim);
    let left = MOST_FOLDS_LEFT_OUT;
    for (const { claim } of nearest) {
      const bit = foldBit(groups[claim]);
      if ((folds & bit) !== 0) continue;
      if (left-- === 0) break;
      folds |= bit;
    }
    return { groups: out, others, folds };
  }

  /** The map without some folds. */
  private under(folds: number): Applied {
    const known = this.applied.get(folds);
    if (known) return known;
    const { bank, maps } = this.parts;
    const width = bank.encoders * VECTOR_LENGTH;
    const stones = (side: BankSide) => {
      const rows = new Float32Array(this.groups * width);
      for (const [group, claim] of this.first.entries()) rows.set(rowOfBank(bank, side, claim), group * width);
      return rows;
    };
    const applied = new Applied(new PackedMap(this.kernel, maps[LEFT_OUT.indexOf(folds)]), stones, this.groups);
    this.applied.set(folds, applied);
    return applied;
  }
}

/** The best `count` of the groups that are not left out, fewer where there are no more. */
function taken({ groups, sums }: Best, without: readonly number[], count: number): { group: number; sum: number }[] {
  const found: { group: number; sum: number }[] = [];
  for (let i = 0; i < groups.length && found.length < count; i++)
    if (!without.includes(groups[i])) found.push({ group: groups[i], sum: sums[i] });
  return found;
}

function meanOf({ groups, sums }: Best, without: readonly number[], count: number): number | undefined {
  let sum = 0;
  let found = 0;
  for (let i = 0; i < groups.length && found < count; i++) {
    if (without.includes(groups[i])) continue;
    sum += sums[i];
    found++;
  }
  return found === 0 ? undefined : sum / found;
}
