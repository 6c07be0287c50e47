import {
  DETAIL_RESIDUAL_BAND,
  type Gauges,
  LOCALLY_POLYNOMIAL_LIMIT,
  measureGauges,
  SHARPNESS_BAND,
} from '#science/spectra/gauges/index';
import { Refusal, type Side } from '#science/spectra/refusal';
import { prepareSide, type Scan, type ScanSet } from '#science/spectra/scan-set';
import { ascending, parseAttack, populationNamed, simulateStone } from '../simulator/index.js';

/**
 * A treatment of simulated scans before they are gauged: none (`honest`), a plain export (`honest, N decimals`; `honest, to
 * 4000 cm^-1`), or an attack by its name in the simulator (`moving-average:7`). Stored figures hold these names.
 */
export type Treatment = string;
export const UNPROCESSED = 'honest';
export const TO_4000 = 'honest, to 4000 cm^-1';
const EXPORTS = ['honest, 5 decimals', 'honest, 4 decimals', 'honest, 3 decimals', TO_4000];
/** Smoothed inputs with goals of their own. */
const MOVING_AVERAGES = ['moving-average:7', 'moving-average:9'];
const POLYNOMIALS = ['9:2', '11:2', '11:3', '13:2', '15:2'].map((shape) => `savitzky-golay:${shape}`);

export const WITH_GOALS = [...MOVING_AVERAGES, ...POLYNOMIALS];

/** Further attacks; misses among them are named in `reports/gauges-check.md`. */
const OTHERS = [
  'moving-average:3',
  'moving-average:5',
  'moving-average:15',
  'savitzky-golay:9:4',
  'savitzky-golay:21:2',
  'savitzky-golay:31:2',
  'gaussian:1',
  'gaussian:2',
  'reexport:16',
  'reexport:32',
  'noise-free',
  'moving-average:7+noise:0.0001',
  'moving-average:7+noise:0.0003',
  'low-rank:30',
];
const TREATMENTS = [UNPROCESSED, ...EXPORTS, ...WITH_GOALS, ...OTHERS];

/** All of them that the population's stones allow: low rank needs one axis for all. */
export const treatmentsOf = (population: string): Treatment[] =>
  TREATMENTS.filter((t) => !t.startsWith('low-rank') || populationNamed(population).block === Number.POSITIVE_INFINITY);

/** Number of stones, counted from 0, for each treatment. */
export type Plan = Record<Treatment, number>;

/** Gauges measured under one treatment, by stone. */
export interface GaugeSample {
  treatment: Treatment;
  side: Side;
  values: Gauges[];
}

export interface GaugeCounts {
  sides: number;
  /** Detail residual below the refusal's limit. */
  refused: number;
  /** Detail residual outside the band of unprocessed scans. */
  offManifold: number;
  /** Locally polynomial above its limit, and the same without the refused. */
  polynomial: number;
  warnedPolynomial: number;
  /** Sharpness inside the healthy band. */
  sharp: number;
}

/** Some of a population's stones, from `first` on; plain data, fit to be sent to a thread. */
export interface GaugeRun {
  population: string;
  seed: number;
  plan: Plan;
  first: number;
  stones: number;
}

/**
 * Gauges the rough (6 scans) and the polish (1 scan) of each stone under each treatment that the plan has for it: a
 * pure function of its argument. A stone is simulated once for all of them (noise-free ones apart).
 */
export function gaugeStones({ population: name, seed, plan, first, stones }: GaugeRun): GaugeSample[] {
  const population = populationNamed(name);
  const treatments = Object.entries(plan).map(([treatment, count]) => {
    const attack = treatment.startsWith(UNPROCESSED) ? null : parseAttack(treatment, population);
    const samples: GaugeSample[] = (['rough', 'polish'] as const).map((side) => ({ treatment, side, values: [] }));
    return { count, attack, exported: plainExport(treatment), samples };
  });
  for (let stone = first; stone < first + stones; stone++) {
    const measured = simulateStone(population, seed, stone);
    for (const { count, attack, exported, samples } of treatments) {
      if (stone >= count) continue;
      const clean = attack?.noiseFree ? simulateStone(population, seed, stone, { noise: 0 }) : measured;
      const simulated = attack ? attack.apply(clean) : clean;
      for (const { side, values } of samples) {
        const scans = simulated[side].map((scan) => exported(ascending(scan)));
        values.push(gaugesOf({ side, scans, references: [] }));
      }
    }
  }
  return treatments.flatMap(({ samples }) => samples);
}

/** A side that is refused before its gauges are read counts as refused. */
function gaugesOf(set: ScanSet): Gauges {
  try {
    return measureGauges(prepareSide(set));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { detailResidual: -1, measuredResidual: -1, sharpness: 0, locallyPolynomial: 0 };
  }
}

/** The goals' plan: `unprocessed` stones as they are, and the first `attacked` of them under each treatment too. */
export const planOf = (unprocessed: number, attacked: number, treatments: readonly Treatment[] = WITH_GOALS): Plan => ({
  [UNPROCESSED]: unprocessed,
  ...Object.fromEntries(treatments.map((treatment) => [treatment, attacked])),
});

export function countGauges(values: readonly Gauges[]): GaugeCounts {
  const count = (test: (gauges: Gauges) => boolean) => values.filter(test).length;
  const refused = ({ detailResidual }: Gauges) => detailResidual < DETAIL_RESIDUAL_BAND.refused;
  const polynomial = ({ locallyPolynomial }: Gauges) => locallyPolynomial > LOCALLY_POLYNOMIAL_LIMIT;
  return {
    sides: values.length,
    refused: count(refused),
    offManifold: count(({ detailResidual: d }) => d < DETAIL_RESIDUAL_BAND.low || d > DETAIL_RESIDUAL_BAND.high),
    polynomial: count(polynomial),
    warnedPolynomial: count((gauges) => polynomial(gauges) && !refused(gauges)),
    sharp: count(({ sharpness }) => sharpness >= SHARPNESS_BAND.low && sharpness <= SHARPNESS_BAND.high),
  };
}

function plainExport(treatment: Treatment): (scan: Scan) => Scan {
  const decimals = /^honest, (\d) decimals$/.exec(treatment);
  if (decimals) {
    const places = Number(decimals[1]);
    return ({ wavenumbers, absorbance }) => ({
      wavenumbers,
      absorbance: absorbance.map((v) => Number(v.toFixed(places))),
    });
  }
  const cut = /^honest, to (\d+) cm/.exec(treatment);
  if (!cut) return (scan) => scan;
  const last = Number(cut[1]);
  return ({ wavenumbers, absorbance }) => {
    const end = wavenumbers.findIndex((w) => w > last);
    return end < 0
      ? { wavenumbers, absorbance }
      : { wavenumbers: wavenumbers.slice(0, end), absorbance: absorbance.slice(0, end) };
  };
}
