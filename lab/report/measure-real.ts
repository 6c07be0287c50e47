import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CalibrationAsset, shippedEntry } from '#science/calibration/asset';
import { DEFAULT_REJECT_TARGET } from '#science/calibration/ladder';
import { fusedScore } from '#science/matching/encoder';
import { REFERENCE_FIRST, REFERENCE_STEP } from '#science/spectra/axis';
import { readScanFiles } from '#science/spectra/files';
import { Refusal } from '#science/spectra/refusal';
import { prepareSide } from '#science/spectra/scan-set';
import { readInputs } from '../../apps/cli/files.js';
import type { Matcher, MeasuredSide } from '../../apps/cli/matcher.js';
import type { RealFigures, RealPair } from './figures.js';

/** Public scans of diamonds: two stones, each measured in three ways, and a third stone. All end at 4000 cm^-1. */
const SCANS = [
  ['FN7112', 'bench, no air compensation', 'opus', 'FN7112-diamond-500scans-up_to_4000cm-no_atm_comp-2cm-1.0'],
  ['FN7112', 'bench, air compensated', 'opus', 'FN7112-diamond-500scans-up_to_4000cm-with_atm_comp-2cm-1.0'],
  ['FN7112', 'microscope, a pixel', 'text', 'FN7112_map_truncated_version0001.CSV'],
  ['FN7114', 'bench, no air compensation', 'opus', 'FN7114-diamond-500scans-up_to_4000cm-no_atm_comp-2cm-1.0'],
  ['FN7114', 'bench, air compensated', 'opus', 'FN7114-diamond-500scans-up_to_4000cm-with_atm_comp-2cm-1.0'],
  ['FN7114', 'microscope, a pixel', 'text', 'FN7114_map_truncated_version0135.CSV'],
  ['HPHT 2', 'microscope, a pixel', 'text', 'IIa_map_HPHT_2_spectra0001.CSV'],
] as const;
/** Range that all of them cover, cm^-1. */
const COMMON = [680, 3990] as const;

/** Same against different on the public scans: the model against two plain comparisons. Null where they are missing. */
export async function measureReal(
  matcher: Matcher,
  asset: CalibrationAsset,
  data: string,
): Promise<RealFigures | null> {
  const scans: {
    stone: string;
    way: string;
    side: MeasuredSide | null;
    derivative: Float64Array;
    snv: Float64Array;
  }[] = [];
  for (const [stone, way, folder, name] of SCANS) {
    const file = join(data, folder, `co2-diamonds__${name}`);
    if (!existsSync(file)) return null;
    const set = await readScanFiles('rough', await readInputs('rough', [file]));
    const { spectra } = prepareSide(set, 'masked');
    scans.push({ stone, way, side: await encoded(matcher, set), ...plainViews(spectra) });
  }
  const pairs: RealPair[] = [];
  for (let i = 0; i < scans.length; i++)
    for (let j = i + 1; j < scans.length; j++) {
      const [a, b] = [scans[i], scans[j]];
      pairs.push({
        scans: [i, j],
        same: a.stone === b.stone,
        model: a.side && b.side && fusedScore(a.side.vectors, b.side.vectors),
        derivative: correlation(a.derivative, b.derivative),
        snv: correlation(a.snv, b.snv),
      });
    }
  const { threshold } = shippedEntry(asset, DEFAULT_REJECT_TARGET);
  return { scans: scans.map(({ stone, way }) => ({ stone, way })), threshold, pairs };
}

async function encoded(matcher: Matcher, set: Parameters<Matcher['measure']>[0]): Promise<MeasuredSide | null> {
  try {
    return await matcher.measure(set);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** A scan on the bins that all scans have: its first differences, and its standard normal variate. */
function plainViews(spectrum: Float32Array): { derivative: Float64Array; snv: Float64Array } {
  const [from, to] = COMMON.map((wavenumber) => Math.round((wavenumber - REFERENCE_FIRST) / REFERENCE_STEP));
  const snv = Float64Array.from(spectrum.subarray(from, to));
  return { snv, derivative: snv.slice(1).map((value, i) => value - snv[i]) };
}

/** Pearson's: the cosine of what standard normal variates leave. */
export function correlation(a: Float64Array, b: Float64Array): number {
  const centred = (values: Float64Array) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const [x, y] = [centred(a), centred(b)];
  const dot = (u: Float64Array, v: Float64Array) => u.reduce((sum, value, i) => sum + value * v[i], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}
