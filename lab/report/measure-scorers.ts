/** Accuracy on a population's other stones of scorers fitted to claims of simulated ones. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedEntry } from '#science/calibration/asset';
import { CrossScores } from '#science/calibration/cross-scores';
import type { ClaimEvidence } from '#science/calibration/evidence';
import type { Isotonic } from '#science/calibration/isotonic';
import { CLAIMS_NEEDED } from '#science/calibration/ladder';
import { expectedCalibrationError, reliability } from '#science/calibration/reliability';
import { fitScorer } from '#science/calibration/scorer/fit';
import { loadScorerLadders, SCORER_FILE, type ScorerLadders } from '#science/calibration/scorer/ladders';
import { measureUnderScorer } from '#science/calibration/scorer/measure';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { shippedModelFolder } from '#science/matching/shipped';
import { Random } from '../simulator/index.js';
import type { MeasuredModel } from './measure-scores.js';
import { evidenceOf, type Proposing, type Sent } from './repeat.js';
import type { JudgedDraw, ScorerBanks } from './scorer-figures.js';
import { rowOf, type Stones } from './stones.js';

const RUNG = 0.98;
const SHOWN = [RUNG, 0.96, 0.9] as const;
const DECOYS = 29;
/** Claims of a bank; 0 is the raw score. */
export const BANK_SIZES = [0, 30, 50, 100, 300, 1000] as const;

export type Judging = Proposing & Pick<MeasuredModel, 'compute' | 'seed'> & { ladders: ScorerLadders };

/** The ladders that came with the shipped model. */
export const shippedScorerLadders = (digest: string): ScorerLadders =>
  loadScorerLadders(readFileSync(join(shippedModelFolder(), SCORER_FILE), 'utf8'), digest);

/** One draw of a population's stones: in this order they come into a bank; the others judge it. */
export interface Order {
  bank: number[];
  judged: number[];
}

/**
 * @param from the first stones take no part
 * @param judged how many judge; no record that is wrong on purpose is among them
 */
export function drawOrder(name: string, stones: Stones, seed: number, draw: number, judged: number, from = 0): Order {
  const random = new Random('scorer banks', name, seed, draw);
  const order = Array.from({ length: stones.count - from }, (_, i) => from + i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  const judges = new Set(order.filter((stone) => stones.mispaired[stone] === 0).slice(-judged));
  return { bank: order.filter((stone) => !judges.has(stone)), judged: [...judges] };
}

export const genuine = (of: Stones, stone: number): Sent => ({ rough: { of, stone }, polish: { of, stone } });

/** Draws per size: the largest banks of two draws hold mostly the same stones, so these have fewer. */
export const drawsOf = (size: number, draws: number): number => (size >= 1000 ? Math.ceil(draws / 2) : draws);

/** Sizes that leave stones to judge by. */
export const sizesOf = (stones: number, judged: number): number[] =>
  BANK_SIZES.filter((size) => size + judged <= stones);

/** Banks of every size, each draw's smaller ones part of its larger ones and all judged by the same stones. */
export async function measureBanks(
  judging: Judging,
  population: string,
  stones: Stones,
  { judged, draws }: { judged: number; draws: number },
  onBank: () => void,
): Promise<ScorerBanks> {
  const figures: JudgedDraw[] = [];
  for (const size of sizesOf(stones.count, judged))
    for (let draw = 0; draw < drawsOf(size, draws); draw++) {
      const order = drawOrder(population, stones, judging.seed, draw, judged);
      const claims = order.bank.slice(0, size).map((stone) => genuine(stones, stone));
      figures.push(await judgeBank(judging, population, claims, stones, order.judged));
      onBank();
    }
  return { population, stones: stones.count, judged, draws: figures };
}

/** Fits a scorer to claims as the service does, and judges it by other stones; the raw score where there is no scorer. */
export async function judgeBank(
  judging: Judging,
  population: string,
  claims: Sent[],
  stones: Stones,
  judged: number[],
): Promise<JudgedDraw> {
  const fitted = claims.length === 0 ? undefined : await fitTo(judging, population, claims);
  if (!fitted) {
    const { asset } = judging;
    const scores = await scoresOf(judging, stones, judged);
    const carried = shippedEntry(asset, RUNG).threshold;
    return { claims: claims.length, groups: null, ...judgedBy(scores, carried, asset.p_match_5050), approved: null };
  }
  const { evidence, scorer } = fitted;
  const scores = await scoresOf(judging, stones, judged, scorer);
  const approved = await approvedThreshold(judging, evidence, scorer);
  return {
    claims: claims.length,
    groups: scorer.groups,
    ...judgedBy(scores, scorer.entry(RUNG).threshold, scorer.curve),
    approved: approved === null ? null : scores.wrongAccepted(approved).share,
  };
}

/** The scorer that the service would propose for these claims; undefined where it makes none of them. */
export async function fitTo(
  { model, asset, ladders, pool }: Judging,
  population: string,
  claims: Sent[],
): Promise<{ evidence: ClaimEvidence; scorer: PopulationScorer } | undefined> {
  const evidence = evidenceOf(model, population, claims);
  const raw = (rung: Parameters<typeof shippedEntry>[1]) => shippedEntry(asset, rung).threshold;
  const made = await fitScorer(evidence, evidence.size, () => 'key', ladders, pool, raw);
  return 'scorer' in made ? { evidence, scorer: made.scorer } : undefined;
}

/** The threshold that an operator would approve at 0.98; null with fewer claims than the rung needs. */
async function approvedThreshold({ pool }: Judging, evidence: ClaimEvidence, scorer: PopulationScorer) {
  if (evidence.size < (CLAIMS_NEEDED[RUNG] ?? 0)) return null;
  const { rungs } = await measureUnderScorer(evidence, evidence.size, scorer, pool);
  return rungs.find(({ reject_target }) => reject_target === RUNG)?.threshold ?? null;
}

/** Scores of stones with each other, raw or by a scorer. */
function scoresOf({ compute }: Judging, stones: Stones, judged: number[], scorer?: PopulationScorer) {
  const rows = (side: 'rough' | 'polish') => {
    const all = new Float32Array(judged.length * stones.width);
    for (const [i, stone] of judged.entries()) all.set(rowOf(stones, side, stone), i * stones.width);
    return all;
  };
  const [rough, polish] = [rows('rough'), rows('polish')];
  // A row holds a unit vector of each encoder: its cosine is their mean.
  const bank = {
    stones: judged.map((stone) => ({ roughDigest: `r${stone}`, polishDigest: `p${stone}` })),
    encoders: [{ rough, polish, width: stones.width }],
  };
  return CrossScores.of(bank, compute.cosines.bind(compute), scorer?.core.table(rough, polish));
}

function judgedBy(scores: CrossScores, carried: number, curve: Isotonic) {
  const own = (rung: number) => scores.threshold(rung).threshold;
  return {
    confirmed: SHOWN.map((rung) => scores.confirmed(own(rung)).share),
    carried: scores.wrongAccepted(carried).share,
    ece: expectedCalibrationError(reliability(curve, scores.genuine, scores.wrong)),
    bestOf29: 1 - (scores.bestOfRejected(DECOYS, own(RUNG))?.share ?? 0),
  };
}
