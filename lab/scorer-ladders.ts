/**
 * The ladders that ship for populations' own scorers: how scorers of the calibration population do on its other stones, and those of few
 * groups on other stones of their worlds.
 */

import type { ThreadPool } from '#kit/threads/pool';
import type { StoneSource } from '#science/calibration/asset';
import { ClaimEvidence, type CountedClaim, VECTOR_LENGTH } from '#science/calibration/evidence';
import { fitIsotonic, type Isotonic } from '#science/calibration/isotonic';
import { REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import { bankOfEvidence } from '#science/calibration/scorer/bank';
import { fitScorer } from '#science/calibration/scorer/fit';
import type { BankLadder, ScorerLadders } from '#science/calibration/scorer/ladders';
import { momentsOf, TRIANGLE } from '#science/calibration/scorer/map';
import { isShrunk, leastGroups, type ScorerMethod, scorerMethodFor } from '#science/calibration/scorer/method';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { shareAbove } from '#science/calibration/statistics';
import type { Model } from '#science/matching/model';
import { joined } from '#science/numerics/joined';
import { littleEndian } from '#science/numerics/little-endian';
import { quantile } from '#science/numerics/quantile';
import { type Bank, type CosineTable, CrossScores } from './cross-scores.js';
import { claimOf, claimsOf, rowsOf, scoredFrom } from './first-day.js';
import { Random } from './simulator/index.js';
import { type WorldEvidence, WorldScores, worldsSources } from './worlds.js';

/**
 * Groups that ladders are made for, in the order in which their banks are drawn. At 60 and 90 one more of the best scores
 * comes into a norm, and all scores jump up; with more groups after that they fall again.
 */
const LADDER_BANKS = [30, 50, 100, 300, 60, 90] as const;
/** Groups that ladders are made for in worlds: the first stones of each world are a bank, and its others are judged. */
const EARLY_BANKS: readonly number[] = [10, 20, 30];
/** Banks drawn per size. */
const LADDER_DRAWS = 2;
/** Stones that each bank's scorer judges. */
const JUDGED = 500;

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
const noLadders = (
  method: ScorerMethod,
  model: string,
  source: StoneSource,
  worlds: ScorerLadders['worlds'],
): ScorerLadders => ({
  schema: 1,
  method,
  model_digest: model,
  source: { bank: source, judged: source, draws: 0 },
  worlds,
  banks: [
    {
      groups: leastGroups(method),
      rungs: REJECT_TARGETS.map((reject_target) => ({ reject_target, threshold: 0, expected_genuine_accept: null })),
      p_match_5050: { scores: [0], probabilities: [0.5] },
    },
  ],
});

/**
 * A scorer of so many groups rather than claims: a stone that joins another one is followed by one more. Undefined where the stones
 * are not distinguished, or come to an end before.
 */
async function scorerOf(
  evidence: ClaimEvidence,
  groups: number,
  ladders: ScorerLadders,
  pool: ThreadPool,
  next: () => CountedClaim | undefined,
): Promise<PopulationScorer | undefined> {
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
    if ('reason' in made && evidence.size > 2 * groups) return undefined;
    for (let more = 0; more < missing; more++) {
      const claim = next();
      if (!claim) return undefined;
      evidence.add(claim);
    }
  }
}

/** @param genuine and @param wrong scores, ascending */
const ladderOf = (
  groups: number,
  genuine: Float32Array | Float64Array,
  wrong: Float32Array,
  thresholdOf: (target: RejectTarget, rung: number) => number,
): BankLadder => ({
  groups,
  rungs: REJECT_TARGETS.map((reject_target, i) => {
    const threshold = up(thresholdOf(reject_target, i));
    return { reject_target, threshold, expected_genuine_accept: round(shareAbove(genuine, threshold)) };
  }),
  p_match_5050: roundCurve(fitIsotonic(genuine, wrong)),
});

type Counted = Pick<StoneSource, 'population' | 'stones' | 'refused'>;

/** Sources as one. */
function sourceOf(sources: Counted[], of: StoneSource): StoneSource {
  const sum = (count: 'stones' | 'refused') => sources.reduce((total, one) => total + one[count], 0);
  const population = [...new Set(sources.map((one) => one.population))].join(' and ');
  return { ...of, population, stones: sum('stones'), refused: sum('refused') };
}

/** Mean covariances of worlds, by encoder, as a file holds them. */
function covariancesIn(worlds: readonly WorldEvidence[], about: Parameters<typeof claimsOf>[2]) {
  const sums = about.encoders.map(() => ({ within: new Float64Array(TRIANGLE), across: new Float64Array(TRIANGLE) }));
  for (const { bank } of worlds) {
    const evidence = claimsOf(bank, Array.from(bank.stones.keys()), about);
    const claims = bankOfEvidence(evidence, evidence.size);
    for (const [encoder, sum] of sums.entries()) {
      const moments = momentsOf(claims, encoder, new Float64Array(claims.claims).fill(1));
      for (const name of ['within', 'across'] as const)
        for (let i = 0, at = 0; i < VECTOR_LENGTH; i++)
          for (let j = 0; j <= i; j++, at++) sum[name][at] += moments[name][i * VECTOR_LENGTH + j] / worlds.length;
    }
  }
  const text = (values: Float64Array) => littleEndian(Float32Array.from(values)).toString('base64');
  return sums.map(({ within, across }) => ({ within: text(within), across: text(across) }));
}

/**
 * @param bank stones of the calibration population
 * @param worlds every other of which gives the covariances that scorers of few groups are drawn towards; on the rest their ladders are
 * made, as thresholds of one population would not hold in others
 * @param progressOf shows how many of so many banks are done
 */
export async function makeScorerLadders(
  model: Pick<Model, 'digest' | 'input' | 'encoders'>,
  { bank, source }: { bank: Bank; source: StoneSource },
  worlds: readonly WorldEvidence[],
  pool: ThreadPool,
  cosines: CosineTable,
  progressOf: (banks: number) => { advance(): void; stop(): void },
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
  const shrunk = isShrunk(method);
  const [towards, judging] = [0, 1].map((half) => worlds.filter((_, i) => shrunk && i % 2 === half));
  const drawn = shrunk
    ? { source: sourceOf(worldsSources(towards), source), covariances: covariancesIn(towards, about) }
    : undefined;
  const unladdered = noLadders(method, model.digest, source, drawn);
  const early = shrunk ? EARLY_BANKS : [];
  const later = LADDER_BANKS.filter((groups) => !early.includes(groups));
  const progress = progressOf(early.length + later.length * LADDER_DRAWS);
  for (const groups of early) {
    const judgedIn: CrossScores[] = [];
    for (const world of judging) {
      const places = Array.from(world.bank.stones.keys());
      const evidence = claimsOf(world.bank, places.slice(0, groups), about);
      const next = () => (evidence.size < places.length - 1 ? claimOf(world.bank, evidence.size) : undefined);
      const scorer = await scorerOf(evidence, groups, unladdered, pool, next);
      if (scorer) judgedIn.push(await scoredFrom(scorer, world.bank, evidence.size, cosines));
    }
    const scores = new WorldScores(judgedIn);
    banks.push(ladderOf(groups, scores.genuine, scores.wrong, (target) => scores.threshold(target).threshold));
    progress.advance();
  }
  for (const groups of later) {
    const genuine: number[] = [];
    const wrong: Float32Array[] = [];
    const thresholds = REJECT_TARGETS.map(() => 0);
    for (let draw = 0; draw < LADDER_DRAWS; draw++) {
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
      }
      const evidence = claimsOf(bank, shuffled.slice(0, groups), about);
      const scorer = await scorerOf(evidence, groups, unladdered, pool, () => claimOf(bank, shuffled[evidence.size]));
      if (!scorer) throw new Error(`no ${groups} groups of distinct stones in ${source.population}`);
      const scores = judged(scorer, bank, shuffled.slice(evidence.size, evidence.size + JUDGED));
      genuine.push(...scores.genuine);
      wrong.push(scores.wrong.filter((_, i) => i % LADDER_DRAWS === draw));
      for (const [i, target] of REJECT_TARGETS.entries())
        thresholds[i] += quantile(scores.wrong, target) / LADDER_DRAWS;
      progress.advance();
    }
    const ascending = Float64Array.from(genuine).sort();
    banks.push(ladderOf(groups, ascending, joined(wrong).sort(), (_, rung) => thresholds[rung]));
  }
  progress.stop();
  return {
    schema: 1,
    method,
    model_digest: model.digest,
    source: {
      bank: source,
      judged: sourceOf([source, ...worldsSources(judging)], source),
      draws: LADDER_DRAWS,
    },
    ...(drawn && { worlds: drawn }),
    banks: banks.sort((a, b) => a.groups - b.groups),
  };
}
