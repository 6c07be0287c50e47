import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantile } from '#science/numerics/quantile';
import { referenceAxis } from '#science/spectra/axis';
import {
  FITTED,
  type FittedConstants,
  type Gauges,
  measureGauges,
  RESIDUAL,
  SHARPNESS_BAND,
} from '#science/spectra/gauges/index';
import { readScanFile } from '#science/spectra/scan-file';
import { prepareSide } from '#science/spectra/scan-set';

/** The populations of native 8 cm^-1. The 4 and 16 cm^-1 ones and the random instruments stay unseen. */
export const FITTED_ON = ['calibration', 'client-a', 'client-b', 'client-c'];
/** Target of the median detail residual of unprocessed sides: the middle of their band. */
const MEDIAN = 0.04;
/** Target for measured curves: the middle of the healthy band. */
const SHARPNESS = (SHARPNESS_BAND.low + SHARPNESS_BAND.high) / 2;
const MEASURED_CURVE = 'quiddit3__typeIIa.csv';
/** Widths at half maximum of Gaussian lines, cm^-1: instruments of the 8 cm^-1 class. */
const LINE_WIDTHS = [7, 8, 9];
/** Absorbance of 1 mm per absorption coefficient of 1 cm^-1. */
const PER_MILLIMETRE = 0.1 / Math.LN10;

/** Gauges measured with the constants as they are, by population. */
export interface HonestGauges {
  full: Gauges[];
  to4000: Gauges[];
}

/**
 * Refits the constants of the gauges: the residual and the sharpness are linear in them.
 * @param measured sharpness of measured curves
 */
export function refit(populations: readonly HonestGauges[], measured: readonly number[]): FittedConstants {
  const now = FITTED.masked;
  const residual = (values: Gauges[]) => median(values.map(({ detailResidual }) => detailResidual));
  const full = mean(populations.map((p) => residual(p.full)));
  const to4000 = mean(populations.map((p) => residual(p.to4000)));
  return {
    detailOffset: round(now.detailOffset + (MEDIAN - full) / RESIDUAL.scale),
    shortAxis: round(now.shortAxis + (full - to4000) / RESIDUAL.scale),
    sharpnessScale: round((now.sharpnessScale * SHARPNESS) / median([...measured])),
  };
}

/** Sharpness of 1 mm of measured type IIa diamond, noise-free, on the reference axis through lines of about 8 cm^-1. */
export function measuredSharpness(references: string): number[] {
  const file = join(references, MEASURED_CURVE);
  const { wavenumbers, absorbance } = readScanFile(file, new Uint8Array(readFileSync(file))).scan;
  const transmission = absorbance.map((coefficient) => 10 ** (-PER_MILLIMETRE * coefficient));
  return LINE_WIDTHS.map((width) => {
    const seen = referenceAxis().map((w) => {
      let sum = 0;
      let weights = 0;
      for (const [i, x] of wavenumbers.entries()) {
        if (Math.abs(x - w) > 2 * width) continue;
        const weight = Math.exp(-4 * Math.LN2 * ((x - w) / width) ** 2);
        weights += weight;
        sum += weight * transmission[i];
      }
      return -Math.log10(sum / weights);
    });
    const scan = { wavenumbers: referenceAxis(), absorbance: seen };
    return measureGauges(prepareSide({ side: 'polish', scans: [scan], references: [] })).sharpness;
  });
}

/** The constants file with these in place of the newest ones. */
export const withNewest = (source: string, { detailOffset, shortAxis, sharpnessScale }: FittedConstants): string =>
  source.replace(
    /(const NEWEST: FittedConstants = )\{[^}]*\}/,
    `$1{ detailOffset: ${detailOffset}, shortAxis: ${shortAxis}, sharpnessScale: ${sharpnessScale} }`,
  );

const ascending = (values: number[]) => values.sort((a, b) => a - b);
const median = (values: number[]) => quantile(ascending(values), 0.5);
const mean = (values: number[]) => values.reduce((sum, v) => sum + v, 0) / values.length;
const round = (value: number) => Math.round(1e4 * value) / 1e4;
