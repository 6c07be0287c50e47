import { shippedEntry } from '#science/calibration/asset';
import { DEFAULT_REJECT_TARGET } from '#science/calibration/ladder';
import { wilson } from '#science/calibration/statistics';
import { encodeSides, fusedScore, placeModel } from '#science/matching/encoder';
import { REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP, referenceAxis } from '#science/spectra/axis';
import { type BandName, bandTables, type Reading } from '../second-family/bands.js';
import { airTables, POINTS, STEP } from '../second-family/spectrometer.js';
import { absorptionTables, MEAN_SHAPES, Random } from '../simulator/index.js';
import { type SpectraTable, simulateTable } from '../training/index.js';
import type { Sensitivity, SensitivityFigures } from './figures.js';
import type { MeasuredModel } from './measure-scores.js';

/** Path of light in a polish, cm: it turns an absorption in cm^-1 into absorbance. */
const PATH = 0.25;
/** No detector reads more. */
const LARGEST = 3.7;
/** Regions that are exchanged, cm^-1. */
const REGIONS = [
  492, 800, 1000, 1130, 1250, 1335, 1420, 1700, 1930, 2110, 2300, 2480, 2700, 3000, 3200, 3600, 4000, 5000, 5989,
];
/** The second family's bands as they stand in its tables, none of its populations' readings. */
const AS_LISTED: Reading = { plate: 0, position: 0, width: 0, height: 0, wings: 1.2 };

type Change = (absorbance: Float32Array) => Float32Array;

/**
 * A polish's loss of score and a stranger's gain when something is added to the polish's scan alone, or when a part of its
 * axis is another stone's.
 */
export async function measureSensitivity(
  { model, compute, asset, seed, threads }: MeasuredModel,
  population: string,
  stones: number,
): Promise<SensitivityFigures> {
  const draw = { population, seed, from: 0, stones };
  const table = await simulateTable({ draws: [draw], rough: 6, polish: 1, sampling: model.input.sampling }, threads);
  const placed = await placeModel(model, compute);
  const rough = await pooled(table);
  const polish = Array.from({ length: stones }, (_, i) => scanOf(table, i, table.rough));
  const { threshold } = shippedEntry(asset, DEFAULT_REJECT_TARGET);
  const encode = (scans: Float32Array[]) => {
    const all = new Float32Array(scans.length * REFERENCE_POINTS);
    for (const [i, scan] of scans.entries()) all.set(scan, i * REFERENCE_POINTS);
    return encodeSides(
      placed,
      all,
      scans.map(() => 1),
    );
  };
  async function pooled({ rough: count }: SpectraTable): Promise<Float32Array[][]> {
    const sides: Float32Array[][] = [];
    for (let i = 0; i < stones; i++) {
      const all = table.spectra.subarray(i * (count + table.polish) * REFERENCE_POINTS);
      sides.push(...(await encodeSides(placed, all, [count])));
    }
    return sides;
  }
  /** Claims of polish i against rough i + `shift`. */
  const judge = async (scans: Float32Array[], shift: number): Promise<Pick<Sensitivity, 'score' | 'matched'>> => {
    const vectors = await encode(scans);
    const scores = scans.map((_, i) => {
      const side = rough[(i + shift) % stones];
      return fusedScore(side, vectors[i]);
    });
    const matched = scores.filter((score) => score > threshold).length;
    return {
      score: scores.reduce((sum, score) => sum + score, 0) / stones,
      matched: { share: matched / stones, interval: wilson(matched, stones), of: stones },
    };
  };
  try {
    const changes: Sensitivity[] = [];
    for (const [change, apply] of changesOf()) changes.push({ change, ...(await judge(polish.map(apply), 0)) });
    const regions: SensitivityFigures['regions'] = [];
    for (let r = 0; r + 1 < REGIONS.length; r++) {
      const [from, to] = [REGIONS[r], REGIONS[r + 1]];
      const swapped = polish.map((scan, i) => spliced(scan, polish[(i + 1) % stones], from, to));
      // Polish i with the region of stone i + 1, claimed to come from its own rough, and from that of stone i + 1.
      const [own, other] = [await judge(swapped, 0), await judge(swapped, 1)];
      regions.push({ from, to, own, other });
    }
    return { population, stones, threshold, changes, regions, wrong: await judge(polish, 1) };
  } finally {
    placed.release();
  }
}

const scanOf = ({ spectra, rough, polish }: SpectraTable, stone: number, scan: number): Float32Array => {
  const at = (stone * (rough + polish) + scan) * REFERENCE_POINTS;
  return spectra.slice(at, at + REFERENCE_POINTS);
};

/** Changes made to a polish's scan alone. */
function changesOf(): [string, Change][] {
  const tables = bandTables(STEP, POINTS, AS_LISTED, new Random('sensitivity'));
  const air = airTables(new Random('sensitivity', 'air'));
  const add = (shape: Float64Array, height: number): Change => {
    const seen = onReferenceAxis(shape);
    return (scan) => scan.map((value, j) => Math.min(value + height * seen[j], LARGEST));
  };
  /** `alpha` in cm^-1 where the band is normalised. */
  const band = (name: BandName, alpha: number) => add(tables.get(name) as Float64Array, (alpha * PATH) / Math.LN10);
  const { nitrogenA, nitrogenB } = absorptionTables(referenceAxis(), MEAN_SHAPES).components;
  /** The same with the mean shape of the training's worlds, which was fitted to measured curves. */
  const measured = ({ from, values }: typeof nitrogenA, alpha: number): Change => {
    const height = (alpha * PATH) / Math.LN10 / (values[binOf(1282) - from] ?? Number.NaN);
    return (scan) => scan.map((value, j) => Math.min(value + height * (values[j - from] ?? 0), LARGEST));
  };
  return [
    ['nothing', (scan) => scan],
    ['A nitrogen + 5 cm^-1 at 1282 (83 ppm)', band('nitrogenA', 5)],
    ['A nitrogen + 20 cm^-1 at 1282 (330 ppm)', band('nitrogenA', 20)],
    ['B nitrogen + 5 cm^-1 at 1282 (400 ppm)', band('nitrogenB', 5)],
    ['A nitrogen + 20 cm^-1 (330 ppm), the measured shape', measured(nitrogenA, 20)],
    ['B nitrogen + 5 cm^-1 (400 ppm), the measured shape', measured(nitrogenB, 5)],
    ['C nitrogen + 1 cm^-1 at 1130 (25 ppm)', band('nitrogenC', 1)],
    ['hydrogen + 5 cm^-1 at 3107', band('hydrogen', 5)],
    ['hydrogen + 1 cm^-1 at 3237', band('hydrogen3237', 1)],
    ['amber centre + 0.5 cm^-1', band('amber', 0.5)],
    ['carbonate + 0.5 cm^-1', band('carbonate', 0.5)],
    ['CO2 inclusions + 1 cm^-1', band('carbonDioxide', 1)],
    ['boron + 1 cm^-1', band('boron', 1)],
    ['water vapour, 0.05 of absorbance at its strongest lines', add(air.water, 0.05)],
    ['hydrocarbon film, 0.1 of absorbance', add(tables.get('skinOil') as Float64Array, 0.1)],
    ['water film, 0.05 of absorbance', add(tables.get('adsorbedWater') as Float64Array, 0.05)],
    ['offset of 0.3', (scan) => scan.map((value) => Math.min(value + 0.3, LARGEST))],
    [
      'scatter, 0.3 of absorbance at 4000 cm^-1 and falling by its square',
      (scan) =>
        scan.map((value, j) => {
          const relative = (REFERENCE_FIRST + j * REFERENCE_STEP) / 4000;
          return Math.min(value + 0.3 * relative * relative, LARGEST);
        }),
    ],
    ['twice the thickness', (scan) => scan.map((value) => Math.min(2 * value, LARGEST))],
    ['half the thickness', (scan) => scan.map((value) => value / 2)],
  ];
}

const binOf = (wavenumber: number) => Math.round((wavenumber - REFERENCE_FIRST) / REFERENCE_STEP);

/** A fine table as an instrument of one reference step sees it. */
function onReferenceAxis(fine: Float64Array): Float64Array {
  const reach = Math.round(REFERENCE_STEP / STEP / 2);
  return Float64Array.from({ length: REFERENCE_POINTS }, (_, j) => {
    const middle = Math.round((REFERENCE_FIRST + j * REFERENCE_STEP) / STEP);
    let sum = 0;
    for (let k = middle - reach; k <= middle + reach; k++) sum += fine[k] ?? 0;
    return sum / (2 * reach + 1);
  });
}

/** A scan with a region of another one, joined at both ends by a straight line's correction. */
function spliced(scan: Float32Array, other: Float32Array, from: number, to: number): Float32Array {
  const [a, b] = [from, to].map((w) => {
    return Math.min(Math.max(binOf(w), 0), REFERENCE_POINTS - 1);
  });
  const result = scan.slice();
  const [atA, atB] = [scan[a] - other[a], scan[b] - other[b]];
  for (let j = a; j <= b; j++) result[j] = other[j] + atA + ((atB - atA) * (j - a)) / (b - a);
  return result;
}
