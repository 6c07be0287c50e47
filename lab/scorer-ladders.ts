/** The ladders that ship for populations' own scorers: how scorers of the calibration population do on its other stones. */

import type { ThreadPool } from '#kit/threads/pool';
import type { StoneSource } from '#science/calibration/asset';
import type { Bank } from '#science/calibration/cross-scores';
import { ClaimEvidence, type CountedClaim } from '#science/calibration/evidence';
import { fitIsotonic, type Isotonic } from '#science/calibration/isotonic';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import { fitScorer } from '#science/calibration/scorer/fit';
import type { BankLadder, ScorerLadders } from '#science/calibration/scorer/ladders';
import { type ScorerMethod, scorerMethodFor } from '#science/calibration/scorer/method';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { shareAbove } from '#science/calibration/statistics';
import type { Model } from '#science/matching/model';
import { quantile } from '#science/numerics/quantile';
import { Random } from './simulator/index.js';

/**
 * Groups that ladders are made for, in the order in which their banks are drawn. At 60 and 90 one more of the best scores
 * comes into a norm, and all scores jump up; with more groups after that they fall again.
 */
export const LADDER_BANKS = [30, 50, 100, 300, 60, 90] as const;
/** Banks drawn per size. */
export const LADDER_DRAWS = 2;
/** Stones that each bank's scorer judges. */
const JUDGED = 500;

const row = (bank: Bank, side: 'rough' | 'polish', stone: number): Float32Array => {
  const width = bank.encoders[0].width;
  const all = new Float32Array(bank.encoders.length * width);
  for (const [e, encoder] of bank.encoders.entries())
    all.set(encoder[side].subarray(stone * width, (stone + 1) * width), e * width);
  return all;
};

/** Stones as a population's counted claims, in this order. */
export function claimsOf(
  bank: Bank,
  stones: readonly number[],
  about: { population: string; model: string; encoders: readonly string[] },
): ClaimEvidence {
  const evidence = new ClaimEvidence(about.population, about.model, about.encoders);
  for (const stone of stones) evidence.add(claimOf(bank, stone));
  return evidence;
}

function claimOf(bank: Bank, stone: number): CountedClaim {
  const { reference = String(stone), roughDigest, polishDigest } = bank.stones[stone];
  return {
    claimId: reference,
    rough: { digest: roughDigest, references: [] },
    polish: { digest: polishDigest, references: [] },
    roughVectors: row(bank, 'rough', stone),
    polishVectors: row(bank, 'polish', stone),
  };
}

/** Rows of stones, encoder after encoder. */
export function rowsOf(bank: Bank, side: 'rough' | 'polish', stones: readonly number[]): Float32Array {
  const width = bank.encoders.length * bank.encoders[0].width;
  const all = new Float32Array(stones.length * width);
  for (const [i, stone] of stones.entries()) all.set(row(bank, side, stone), i * width);
  return all;
}

/** A scorer judges stones that its bank does not hold: scores of their own pairs and of all others, ascending. */
export function judged(
  scorer: { core: { table(roughs: Float32Array, polishes: Float32Array): Float32Array } },
  bank: Bank,
  stones: readonly number[],
): { genuine: Float32Array; wrong: Float32Array } {
  const n = stones.length;
  const table = scorer.core.table(rowsOf(bank, 'rough', stones), rowsOf(bank, 'polish', stones));
  const genuine = Float32Array.from({ length: n }, (_, i) => table[i * (n + 1)]);
  const wrong = table.filter((_, at) => at % (n + 1) !== 0);
  return { genuine: genuine.sort(), wrong: wrong.sort() };
}

/** Six decimals, a threshold upwards: it is a promise about wrong claims. */
const up = (value: number) => Math.ceil(value * 1e6) / 1e6;
const round = (value: number) => Math.round(value * 1e6) / 1e6;
const roundCurve = ({ scores, probabilities }: Isotonic): Isotonic => ({
  scores: scores.map(round),
  probabilities: probabilities.map(round),
});

/** Stand-in for ladders while there are none: a scorer is fitted with it, and its thresholds are used nowhere. */
const NO_LADDERS = (method: ScorerMethod, model: string, source: StoneSource): ScorerLadders => ({
  schema: 1,
  method,
  model_digest: model,
  source: { bank: source, judged: source, draws: 0 },
  banks: [
    {
      groups: LADDER_BANKS[0],
      rungs: REJECT_TARGETS.map((reject_target) => ({ reject_target, threshold: 0, expected_genuine_accept: null })),
      p_match_5050: { scores: [0], probabilities: [0.5] },
    },
  ],
});

/** A scorer of so many groups rather than claims: a stone that joins another one is followed by one more. */
async function scorerOf(
  evidence: ClaimEvidence,
  groups: number,
  ladders: ScorerLadders,
  pool: ThreadPool,
  next: () => CountedClaim,
): Promise<PopulationScorer> {
  for (;;) {
    const made = await fitScorer(
      evidence,
      evidence.size,
      () => '',
      ladders,
      pool,
      () => 0,
    );
    const missing = 'scorer' in made ? groups - made.scorer.groups : 1;
    if ('scorer' in made && missing === 0) return made.scorer;
    if ('reason' in made && evidence.size > 2 * groups) throw new Error(made.reason);
    for (let more = 0; more < missing; more++) evidence.add(next());
  }
}

/**
 * @param bank stones of the calibration population
 * @param onBank called when another bank is done
 */
export async function makeScorerLadders(
  model: Pick<Model, 'digest' | 'input' | 'encoders'>,
  { bank, source }: { bank: Bank; source: StoneSource },
  pool: ThreadPool,
  onBank: () => void,
): Promise<ScorerLadders> {
  const about = {
    population: source.population,
    model: model.digest,
    encoders: model.encoders.map(({ name }) => name),
  };
  const centred = model.encoders.some(({ centre }) => centre);
  const method = scorerMethodFor({ pooled: model.input.pooling === 'scans', centred });
  const random = new Random('scorer ladders', source.seed);
  const shuffled = Array.from(bank.stones.keys());
  const banks: BankLadder[] = [];
  for (const groups of LADDER_BANKS) {
    const genuine: number[] = [];
    const wrong: Float32Array[] = [];
    const thresholds = REJECT_TARGETS.map(() => 0);
    for (let draw = 0; draw < LADDER_DRAWS; draw++) {
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
      }
      const evidence = claimsOf(bank, shuffled.slice(0, groups), about);
      const ladders = NO_LADDERS(method, model.digest, source);
      const scorer = await scorerOf(evidence, groups, ladders, pool, () => claimOf(bank, shuffled[evidence.size]));
      const scores = judged(scorer, bank, shuffled.slice(evidence.size, evidence.size + JUDGED));
      genuine.push(...scores.genuine);
      wrong.push(scores.wrong.filter((_, i) => i % LADDER_DRAWS === draw));
      for (const [i, target] of REJECT_TARGETS.entries())
        thresholds[i] += quantile(scores.wrong, target) / LADDER_DRAWS;
      onBank();
    }
    const ascending = Float64Array.from(genuine).sort();
    const all = new Float32Array(wrong.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of wrong) {
      all.set(part, at);
      at += part.length;
    }
    banks.push({
      groups,
      rungs: REJECT_TARGETS.map((reject_target, i) => ({
        reject_target,
        threshold: up(thresholds[i]),
        expected_genuine_accept: round(shareAbove(ascending, up(thresholds[i]))),
      })),
      p_match_5050: roundCurve(fitIsotonic(ascending, all.sort())),
    });
  }
  return {
    schema: 1,
    method,
    model_digest: model.digest,
    source: { bank: source, judged: source, draws: LADDER_DRAWS },
    banks: banks.sort((a, b) => a.groups - b.groups),
  };
}
