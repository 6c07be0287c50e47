/** The look of a session, so that a declared session type that does not fit is noticed. */
import { upperMedian } from '#science/numerics/quantile';
import { REFERENCE_FIRST, REFERENCE_POINTS, REFERENCE_STEP } from '#science/spectra/axis';
import { preprocessLotScan } from './encoder.js';
import { type LotModel, SESSION_TYPES, type SessionFeatures, type SessionType } from './model.js';

const bin = (wavenumber: number) => Math.round((wavenumber - REFERENCE_FIRST) / REFERENCE_STEP);
/** Above every diamond line and below 4000 cm^-1: level and noise are measured here. */
const QUIET = [bin(3610), bin(3990)] as const;
/** The two-phonon peaks, where light is scarcest. */
const DARK = [bin(1950), bin(2200)] as const;

/**
 * Medians over a session of: log10 of the noise, the ceiling of the absorbance, its level, log10 of the scatter between
 * the scans of a stone.
 * @param stones spectra of each stone, count x 671, as many scans as they hold; NaN where nothing was measured
 */
export function sessionFingerprint(model: Pick<LotModel, 'preprocessing'>, stones: readonly Float32Array[]): number[] {
  const noise: number[] = [];
  const ceiling: number[] = [];
  const level: number[] = [];
  const scatter: number[] = [];
  const points = model.preprocessing[0].scale.length;
  for (const spectra of stones) {
    const scans = spectra.length / REFERENCE_POINTS;
    const inputs = Array.from({ length: scans }, () => new Float32Array(2 * points));
    for (let scan = 0; scan < scans; scan++) {
      const spectrum = spectra.subarray(scan * REFERENCE_POINTS, (scan + 1) * REFERENCE_POINTS);
      const quiet = [...spectrum.subarray(...QUIET)].filter(Number.isFinite);
      if (quiet.length < 3) continue;
      let squares = 0;
      for (let i = 1; i < quiet.length - 1; i++) squares += (quiet[i - 1] - 2 * quiet[i] + quiet[i + 1]) ** 2;
      noise.push(Math.log10(Math.sqrt(squares / (quiet.length - 2)) + 1e-7));
      level.push(upperMedian(quiet));
      ceiling.push(Math.max(...[...spectrum.subarray(...DARK)].filter(Number.isFinite), 0));
      preprocessLotScan(model, spectra, scan, inputs[scan]);
    }
    for (let scan = 1; scan < scans; scan++) {
      let squares = 0;
      for (let i = 0; i < 2 * points; i++) squares += (inputs[scan][i] - inputs[scan - 1][i]) ** 2;
      scatter.push(Math.log10(Math.sqrt(squares / (2 * points)) + 1e-7));
    }
  }
  return [noise, ceiling, level, scatter].map((values) => (values.length > 0 ? upperMedian(values) : 0));
}

/** Negative log-likelihood of a look under each session type, up to a constant: the smaller, the better it fits. */
function misfits(looks: Record<SessionType, SessionFeatures>, look: readonly number[]): Record<SessionType, number> {
  const misfit = ({ mean, deviation }: SessionFeatures) =>
    look.reduce((sum, value, i) => sum + ((value - mean[i]) / deviation[i]) ** 2 / 2 + Math.log(deviation[i]), 0);
  return Object.fromEntries(SESSION_TYPES.map((type) => [type, misfit(looks[type])])) as Record<SessionType, number>;
}

/** The session type that a look fits best. */
export function sessionTypeOf(looks: Record<SessionType, SessionFeatures>, look: readonly number[]): SessionType {
  const misfit = misfits(looks, look);
  return [...SESSION_TYPES].sort((a, b) => misfit[a] - misfit[b])[0];
}

/**
 * By how much another type has to fit better before a declared one is doubted: of 240 honest sessions of `calibration` 6
 * are, in place of 53 where any better fit counts. Shaken and table-up sessions look too alike to be held apart.
 */
const DOUBTED_FROM = 3;

/** The session type that a look fits far better than the declared one, if there is one. */
export function unusualSession(
  looks: Record<SessionType, SessionFeatures>,
  look: readonly number[],
  declared: SessionType,
): SessionType | undefined {
  const misfit = misfits(looks, look);
  const seems = sessionTypeOf(looks, look);
  return misfit[declared] - misfit[seems] > DOUBTED_FROM ? seems : undefined;
}
