import { readFileSync } from 'node:fs';
import { fusedScore } from '#science/matching/encoder';
import { loadModel, VECTOR } from '#science/matching/model';
import { Refusal, type Side } from '#science/spectra/refusal';
import type { ScanSet } from '#science/spectra/scan-set';
import { Matcher, type MeasuredSide, stack } from '../apps/cli/matcher.js';
import type { BankedStone } from './cross-scores.js';
import type { GaugeSamples } from './make-asset.js';
import { simulateNamed } from './populations.js';
import { ascending, type SimulatedScan } from './simulator/index.js';

/** A run of simulated stones, and the model file that encodes them. */
export interface StoneRun {
  population: string;
  seed: number;
  first: number;
  count: number;
  modelFile: string;
}

/** The stones of a run that the input checks accept, in their order. */
export interface MeasuredStones {
  stones: BankedStone[];
  /** Per encoder, stones x 256. */
  encoders: { rough: Float32Array; polish: Float32Array; width: number }[];
  gauges: Record<Side, GaugeSamples>;
  refused: number;
}

let opened: { modelFile: string; matcher: Matcher } | undefined;

/** Simulates, examines and encodes stones as claims of 6 + 1 scans. Runs on a worker thread, which keeps its model. */
export async function measureStones({ population, seed, first, count, modelFile }: StoneRun): Promise<MeasuredStones> {
  const matcher = await matcherOf(modelFile);
  const sides: Record<Side, MeasuredSide[]> = { rough: [], polish: [] };
  const stones: BankedStone[] = [];
  for (let stone = first; stone < first + count; stone++) {
    const simulated = simulateNamed(population, seed, stone);
    try {
      const rough = await matcher.measure(sideOf('rough', simulated.rough));
      const polish = await matcher.measure(sideOf('polish', simulated.polish));
      sides.rough.push(rough);
      sides.polish.push(polish);
      stones.push({ reference: simulated.id, roughDigest: rough.digest, polishDigest: polish.digest });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return {
    stones,
    encoders: matcher.model.encoders.map((_, encoder) => ({
      rough: stack(sides.rough, encoder),
      polish: stack(sides.polish, encoder),
      width: VECTOR,
    })),
    gauges: { rough: samplesOf(sides.rough), polish: samplesOf(sides.polish) },
    refused: count - stones.length,
  };
}

export const sideOf = (side: Side, scans: SimulatedScan[]): ScanSet => ({
  side,
  scans: scans.map(ascending),
  references: [],
});

function samplesOf(sides: MeasuredSide[]): GaugeSamples {
  return {
    sharpness: sides.map(({ gauges }) => gauges.sharpness),
    detail_residual: sides.map(({ gauges }) => gauges.detailResidual),
    locally_polynomial: sides.map(({ gauges }) => gauges.locallyPolynomial),
  };
}

/** Numbers of scans per side that baselines are made for, fewer first. */
export const BASELINE_ROUGH = [1, 2, 3, 4, 6];
export const BASELINE_POLISH = [1, 2, 3];

/** Measures of one genuine claim for the drift watch. */
export interface ScanMeasures {
  rough: number;
  polish: number;
  fused_score: number;
  rough_sharpness: number;
  polish_sharpness: number;
  rough_detail_residual: number;
  polish_detail_residual: number;
}

/** Measures stones as claims of each number of scans. Runs on a worker thread, which keeps its model. */
export async function measureByScans({ population, seed, first, count, modelFile }: StoneRun): Promise<ScanMeasures[]> {
  const matcher = await matcherOf(modelFile);
  const largest = { roughScans: BASELINE_ROUGH[BASELINE_ROUGH.length - 1], polishScans: BASELINE_POLISH[2] };
  const measures: ScanMeasures[] = [];
  for (let stone = first; stone < first + count; stone++) {
    const simulated = simulateNamed(population, seed, stone, largest);
    const measured = async (side: Side, scans: number) =>
      matcher.measure(sideOf(side, simulated[side].slice(0, scans)));
    try {
      const roughs = await Promise.all(BASELINE_ROUGH.map((scans) => measured('rough', scans)));
      const polishes = await Promise.all(BASELINE_POLISH.map((scans) => measured('polish', scans)));
      for (const [r, { vectors, gauges }] of roughs.entries())
        for (const [p, other] of polishes.entries())
          measures.push({
            rough: BASELINE_ROUGH[r],
            polish: BASELINE_POLISH[p],
            fused_score: fusedScore(vectors, other.vectors),
            rough_sharpness: gauges.sharpness,
            polish_sharpness: other.gauges.sharpness,
            rough_detail_residual: gauges.detailResidual,
            polish_detail_residual: other.gauges.detailResidual,
          });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return measures;
}

async function matcherOf(modelFile: string): Promise<Matcher> {
  if (opened?.modelFile !== modelFile)
    opened = { modelFile, matcher: await Matcher.open(loadModel(readFileSync(modelFile))) };
  return opened.matcher;
}
