/**
 * Compares a population's recent claims with those on which its thresholds rest. Windows of claims follow each other
 * without overlap, and each is compared with the baseline once: docs/operate/findings.md.
 */
import { quantile } from '#science/numerics/quantile';
import type { CalibrationAsset, Percentiles } from './asset.js';

export const DRIFT_MEASURES = [
  'fused_score',
  'rough_sharpness',
  'polish_sharpness',
  'rough_detail_residual',
  'polish_detail_residual',
] as const;
export type DriftMeasure = (typeof DRIFT_MEASURES)[number];

/** Claims of a window. */
export const DRIFT_WINDOW = 100;
/**
 * Anderson-Darling statistic beyond which a measure has drifted. An unchanged one exceeds it in one window of a
 * thousand, whatever its distribution, so that five measures together stay below one in a hundred.
 */
export const DRIFT_LIMIT = 6;
/** Clean windows, one after the other, that end an episode. */
export const CLEAN_WINDOWS = 2;
/** Claims of a baseline at most, the latest: more do not sharpen the view of a window. */
export const MAX_BASELINE_CLAIMS = 2000;

/** A claim's measures for the drift watch. */
export interface DriftClaim {
  /** Place in the log. */
  position: number;
  /** Time of the claim, ISO 8601. */
  at: string;
  /** Digests of the scan sets. */
  rough: string;
  polish: string;
  /** Scans a side: both the gauges and the score of fewer scans scatter more. */
  scans: { rough: number; polish: number };
  /** In the order of DRIFT_MEASURES. */
  values: number[];
}

/** Ascending values of each measure. */
export type DriftSample = Float64Array[];

export interface MeasureDrift {
  measure: DriftMeasure;
  statistic: number;
  drifted: boolean;
  baseline_median: number;
  window_median: number;
  /** From median to median, in standard deviations of the baseline; null where that does not vary. */
  shift: number | null;
}

/** A window that was compared with the baseline. */
export interface DriftWindow {
  /** Places in the log of its first and last claim, and when the last one was made. */
  from: number;
  to: number;
  until: string;
  claims: number;
  measures: MeasureDrift[];
}

/** Range of the middle nine tenths of a measure in the baseline of a window. */
export interface DriftBand {
  measure: DriftMeasure;
  p05: number;
  p95: number;
}

/** An episode that is over: the last claims of the windows that it began and ended with. */
export interface DriftEpisode {
  began: string;
  ended: string;
  measures: DriftMeasure[];
}

/** Ended episodes that are listed, the latest. */
const MAX_EPISODES = 50;

/** Windows that are listed, the latest. */
const MAX_WINDOWS = 50;

/** An episode begins, or has ended, with a window. */
export interface DriftChange {
  type: 'began' | 'ended';
  window: DriftWindow;
}

export const driftedMeasures = ({ measures }: DriftWindow): DriftMeasure[] =>
  measures.flatMap(({ measure, drifted }) => (drifted ? [measure] : []));
export const drifted = (window: DriftWindow): boolean => driftedMeasures(window).length > 0;

/** Gathers claims. A claim is left out if one of its scan sets is here already, as it brings no new measurement. */
export class DriftGathering {
  readonly claims: DriftClaim[] = [];
  private readonly sets = new Set<string>();

  add(claim: DriftClaim): void {
    const { rough, polish } = claim;
    if (this.sets.has(rough) || this.sets.has(polish)) return;
    this.sets.add(rough).add(polish);
    this.claims.push(claim);
  }

  sample(): DriftSample {
    return DRIFT_MEASURES.map((_, m) => Float64Array.from(this.claims, ({ values }) => values[m]).sort());
  }
}

/** The baseline that a window of claims is compared with. */
export type BaselineFor = (claims: readonly Pick<DriftClaim, 'scans'>[]) => DriftSample;

/**
 * The baseline of the shipped asset: for each window a sample of claims with as many scans as its own have. Nothing
 * where the asset has none; an asset that knows 6 + 1 scans alone takes all claims for such.
 */
export function shippedBaseline(asset: Partial<CalibrationAsset>): BaselineFor | undefined {
  const { baseline, gauge_bands, by_scans } = asset;
  if (!baseline || !gauge_bands) return undefined;
  const { rough, polish } = gauge_bands;
  const whole = [baseline.genuine, rough.sharpness, polish.sharpness, rough.detail_residual, polish.detail_residual];
  const known = by_scans?.map(({ scans, ...measures }) => ({
    scans,
    percentiles: DRIFT_MEASURES.map((measure) => measures[measure]),
  }));
  const kindOf = ({ scans }: Pick<DriftClaim, 'scans'>): Percentiles[] =>
    known?.findLast((one) => one.scans.rough <= scans.rough && one.scans.polish <= scans.polish)?.percentiles ?? whole;
  return (claims) => {
    const counts = new Map<Percentiles[], number>();
    for (const claim of claims) counts.set(kindOf(claim), (counts.get(kindOf(claim)) ?? 0) + 1);
    return DRIFT_MEASURES.map((_, m) => {
      const parts = [...counts].map(([percentiles, count]) =>
        spread(percentiles[m], Math.round((count * MAX_BASELINE_CLAIMS) / claims.length)),
      );
      return Float64Array.from(parts.flatMap((part) => Array.from(part))).sort();
    });
  };
}

/** So many values between the percentiles, evenly spread. */
function spread(percentiles: Percentiles, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => {
    const at = (100 * (i + 0.5)) / length;
    const low = Math.floor(at);
    return percentiles[low] + (at - low) * (percentiles[low + 1] - percentiles[low]);
  });
}

/** Follows a population's claims against one baseline, whose every sample holds at least one claim. */
export class DriftWatch {
  /** Windows compared with the baseline, and the latest of them. */
  windows = 0;
  latest: DriftWindow | undefined;
  /** Bands of the latest window's baseline. */
  bands: DriftBand[] = [];
  /** The latest windows, oldest first. */
  readonly history: DriftWindow[] = [];
  /** The window that the present episode began with. */
  began: DriftWindow | undefined;
  readonly changes: DriftChange[] = [];
  private clean = 0;
  private gathering = new DriftGathering();

  constructor(private readonly baseline: BaselineFor) {}

  /** Claims that wait for their window to fill. */
  get waiting(): number {
    return this.gathering.claims.length;
  }

  take(claim: DriftClaim): void {
    this.gathering.add(claim);
    const { claims } = this.gathering;
    if (claims.length < DRIFT_WINDOW) return;
    const [{ position: from }, { position: to, at: until }] = [claims[0], claims[claims.length - 1]];
    const baseline = this.baseline(claims);
    this.bands = DRIFT_MEASURES.map((measure, m) => {
      const [p05, p95] = [0.05, 0.95].map((share) => quantile(baseline[m], share));
      return { measure, p05, p95 };
    });
    const measures = measureDrift(baseline, this.gathering.sample());
    this.gathering = new DriftGathering();
    this.follow({ from, to, until, claims: claims.length, measures });
  }

  /** Those that are over, oldest first. */
  get episodes(): DriftEpisode[] {
    const over: DriftEpisode[] = [];
    for (const [i, { type, window }] of this.changes.entries()) {
      if (type !== 'ended') continue;
      const { window: first } = this.changes[i - 1];
      over.push({ began: first.until, ended: window.until, measures: driftedMeasures(first) });
    }
    return over.slice(-MAX_EPISODES);
  }

  private follow(window: DriftWindow): void {
    this.windows++;
    this.latest = window;
    this.history.push(window);
    if (this.history.length > MAX_WINDOWS) this.history.shift();
    this.clean = drifted(window) ? 0 : this.clean + 1;
    if (!this.began && this.clean === 0) {
      this.began = window;
      this.changes.push({ type: 'began', window });
    } else if (this.began && this.clean === CLEAN_WINDOWS) {
      this.began = undefined;
      this.changes.push({ type: 'ended', window });
    }
  }
}

function measureDrift(baseline: DriftSample, sample: DriftSample): MeasureDrift[] {
  return DRIFT_MEASURES.map((measure, m): MeasureDrift => {
    const statistic = andersonDarling(baseline[m], sample[m]);
    const [baseline_median, window_median] = [baseline[m], sample[m]].map((values) => quantile(values, 0.5));
    const deviation = standardDeviation(baseline[m]);
    const shift = deviation > 0 ? (window_median - baseline_median) / deviation : null;
    return { measure, statistic, drifted: statistic > DRIFT_LIMIT, baseline_median, window_median, shift };
  });
}

/**
 * Statistic of the two-sample Anderson-Darling test, both samples ascending and not empty. It counts the size of either
 * sample; about 1 for samples of one distribution. Equal values count as one step (Scholz and Stephens 1987).
 */
export function andersonDarling(a: Float64Array, b: Float64Array): number {
  const all = a.length + b.length;
  let sum = 0;
  let i = 0;
  let j = 0;
  while (i + j < all) {
    const before = i + j;
    const value = Math.min(
      i < a.length ? a[i] : Number.POSITIVE_INFINITY,
      j < b.length ? b[j] : Number.POSITIVE_INFINITY,
    );
    while (i < a.length && a[i] === value) i++;
    while (j < b.length && b[j] === value) j++;
    const seen = i + j;
    if (seen < all) sum += ((seen - before) * (all * j - b.length * seen) ** 2) / (seen * (all - seen));
  }
  return sum / (a.length * b.length);
}

function standardDeviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
