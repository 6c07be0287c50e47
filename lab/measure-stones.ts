import { readFileSync } from 'node:fs';
import type { BankedStone, GaugeSamples } from '#calibration';
import { loadModel, VECTOR } from '#matching';
import type { SimulatedScan } from '#simulator';
import { Refusal, type Scan, type ScanSet, type Side } from '#spectra';
import { Matcher, type MeasuredSide, stack } from '../apps/cli/matcher.js';
import { simulateNamed } from './populations.js';

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
  if (opened?.modelFile !== modelFile)
    opened = { modelFile, matcher: await Matcher.open(loadModel(readFileSync(modelFile))) };
  const { matcher } = opened;
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

function ascending({ wavenumbers, absorbance }: SimulatedScan): Scan {
  if (wavenumbers[0] < wavenumbers[wavenumbers.length - 1]) return { wavenumbers, absorbance };
  return { wavenumbers: wavenumbers.toReversed(), absorbance: absorbance.toReversed() };
}

function samplesOf(sides: MeasuredSide[]): GaugeSamples {
  return {
    sharpness: sides.map(({ gauges }) => gauges.sharpness),
    detail_residual: sides.map(({ gauges }) => gauges.detailResidual),
    locally_polynomial: sides.map(({ gauges }) => gauges.locallyPolynomial),
  };
}
