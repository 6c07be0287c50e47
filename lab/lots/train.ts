/** From parcels of melee to a lot model: preprocessing, encoder, cohort, bars, looks. */

import type { ThreadPool } from '#kit/threads/pool';
import { type LotModel, lotModelOf, SESSION_TYPES, type SessionFeatures, type SessionType } from '#science/lots/model';
import type { Usual } from '#science/lots/reference-lots';
import { centreOf, lessCentre } from '#science/lots/score';
import { joined } from '#science/numerics/joined';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { fitPreprocessing } from '../training/fit-preprocessing.js';
import { fitBars, placeParcel, settled } from './bars.js';
import { fitEncoder, type Moments, momentsOf } from './fit.js';
import { PARCEL_STONES } from './parcel.js';
import { type SeenLots, seenLots, usualOf } from './reference-lots.js';
import type { EncodedParcel, ParcelJob, PreprocessedStones } from './scans.js';

/** Amounts simulated for a model. Seeds of training, bars, cohort and test never meet: families differ. */
export interface LotPlanOfTraining {
  name: string;
  seed: number;
  /** Parcels of the family `training`, and stones of each. */
  parcels: number;
  stones: number;
  /** Parcels of the family `calibration` for the bars, and others for the cohort. */
  bars: number;
  cohort: { parcels: number; stones: number };
}

export const FULL_TRAINING = { parcels: 300, stones: 100, bars: 80, cohort: { parcels: 27, stones: 100 } };

/** Session types of training parcels: 40, 30 and 30%. */
const typeOf = (parcel: number): SessionType => SESSION_TYPES[[0, 1, 2, 0, 1, 2, 0, 1, 2, 0][parcel % 10]];
/** Cohort parcels are numbered apart from those of the bars. */
const COHORT_FROM = 100_000;
/** Parcels that a thread takes at a time, and stones whose first scans fit the preprocessing. */
const JOB = 8;
const VIEW_STONES = 20;

const SCANS = new URL('./scans.js', import.meta.url);

/** Steps that a training advances by: parcels, those of the bars once a session type. @param own types with own bars */
export function stepsOf({ parcels, bars, cohort }: LotPlanOfTraining, own: readonly SessionType[] = []): number {
  const simulated = SESSION_TYPES.filter((type) => !own.includes(type)).length;
  return parcels + simulated * bars + cohort.parcels;
}

export type LotEncoder = Pick<LotModel, 'preprocessing' | 'mean' | 'projection' | 'between'>;
type Advance = (by: number) => void;

/** A model with what is usual of lots like those that its bars were set on. */
export interface TrainedLots {
  model: LotModel;
  usual: Usual;
}

/** @param encoder of another model, taken as it is; without one it is fitted */
export async function trainLots(
  plan: LotPlanOfTraining,
  pool: ThreadPool,
  advance: Advance,
  encoder?: LotEncoder,
): Promise<TrainedLots> {
  return withCohortAndBars(encoder ?? (await trainEncoder(plan, pool, advance)), plan, pool, advance);
}

async function trainEncoder(plan: LotPlanOfTraining, pool: ThreadPool, advance: Advance): Promise<LotEncoder> {
  const { preprocessing, moments } = await simulatedMoments(plan, pool, advance);
  return { preprocessing, ...fitEncoder([{ moments, weight: 1 }]) };
}

/** Moments of simulated parcels of training, and the preprocessing that is fitted on them. */
export async function simulatedMoments(
  plan: LotPlanOfTraining,
  pool: ThreadPool,
  advance: Advance,
): Promise<{ preprocessing: LotModel['preprocessing']; moments: Moments }> {
  const { seed } = plan;
  const training = numbered(plan.parcels).map((parcel) => ({ parcel, type: typeOf(parcel) }));
  const firsts = await spread<Float32Array>(pool, 'firstScans', {
    family: 'training',
    seed,
    parcels: training.filter((_, i) => i % 2 === 0),
    stones: VIEW_STONES,
  });
  const spectra = joined(firsts);
  const count = spectra.length / REFERENCE_POINTS;
  const preprocessing: LotModel['preprocessing'] = [
    fitPreprocessing(1, spectra, count),
    fitPreprocessing(2, spectra, count),
  ];
  const parts = await spread<PreprocessedStones>(
    pool,
    'preprocessStones',
    { family: 'training', seed, parcels: training, stones: plan.stones },
    [preprocessing],
    advance,
  );
  return { preprocessing, moments: momentsOf(parts) };
}

/** The model of an encoder: its cohort, bars and looks are made on other parcels than the encoder was. */
export async function withCohortAndBars(
  encoder: LotEncoder,
  plan: LotPlanOfTraining,
  pool: ThreadPool,
  advance: Advance,
): Promise<TrainedLots> {
  const { name } = plan;
  const { preprocessing, mean, projection, between } = encoder;
  const others = await encode(pool, cohortJob(plan), encoder, advance);
  const cohort = joined(others.map(({ enrol }) => lessCentre(enrol, centreOf(enrol))));
  const parts = { preprocessing, mean, projection, between, cohort, sessionOffset: 'removed' as const };
  const bars = {} as LotModel['bars'];
  const looks = {} as LotModel['looks'];
  const seen: SeenLots[] = [];
  for (const type of SESSION_TYPES) {
    const { placed, looked } = await barParcels(parts, plan, type, pool, advance);
    bars[type] = fitBars(placed, name);
    looks[type] = lookOfSessions(looked);
    // The usual measures follow from the bars of this type alone.
    seen.push(seenLots({ name, bars }, type, placed));
  }
  const model = lotModelOf({ name, ...parts, bars, looks });
  return { model, usual: usualOf(model, seen) };
}

const cohortJob = ({ seed, cohort: { parcels, stones } }: LotPlanOfTraining): ParcelJob => ({
  family: 'calibration',
  seed,
  parcels: numbered(parcels).map((parcel) => ({ parcel: COHORT_FROM + parcel, type: typeOf(parcel) })),
  stones,
});

/** The cohort's stones before an encoder. */
export const cohortRows = (
  preprocessing: LotModel['preprocessing'],
  plan: LotPlanOfTraining,
  pool: ThreadPool,
  advance: Advance,
): Promise<PreprocessedStones[]> => spread(pool, 'preprocessStones', cohortJob(plan), [preprocessing], advance);

export async function barParcels(
  model: LotEncoder & Pick<LotModel, 'cohort' | 'sessionOffset'>,
  { seed, bars }: Pick<LotPlanOfTraining, 'seed' | 'bars'>,
  type: SessionType,
  pool: ThreadPool,
  advance: Advance,
) {
  const parcels = numbered(bars).map((parcel) => ({ parcel, type }));
  const encoded = await encode(pool, { family: 'calibration', seed, parcels, stones: PARCEL_STONES }, model, advance);
  return {
    placed: encoded.map((parcel) => placeParcel(model, parcel)),
    looked: encoded.flatMap((parcel) => parcel.looks),
  };
}

/** Parcels' stones as the encoder has them. */
export async function encode(
  pool: ThreadPool,
  job: ParcelJob,
  { preprocessing, mean, projection }: Pick<LotModel, 'preprocessing' | 'mean' | 'projection'>,
  advance: Advance = () => {},
): Promise<EncodedParcel[]> {
  return (
    await spread<EncodedParcel[]>(pool, 'encodeParcels', job, [{ preprocessing, mean, projection }], advance)
  ).flat();
}

/** Runs a job of scans.ts on all threads, a few parcels each; answers in the parcels' order. */
async function spread<T>(
  pool: ThreadPool,
  work: string,
  job: ParcelJob,
  more: unknown[] = [],
  advance: Advance = () => {},
): Promise<T[]> {
  const runs: ParcelJob[] = [];
  for (let from = 0; from < job.parcels.length; from += JOB)
    runs.push({ ...job, parcels: job.parcels.slice(from, from + JOB) });
  return Promise.all(
    runs.map(async (run) => {
      const part = await pool.run<T>(SCANS, work, [run, ...more]);
      advance(run.parcels.length);
      return part;
    }),
  );
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => i);

export function lookOfSessions(looks: readonly number[][]): SessionFeatures {
  const mean = looks[0].map((_, i) => looks.reduce((sum, look) => sum + look[i], 0) / looks.length);
  const deviation = mean.map((middle, i) =>
    Math.max(1e-3, Math.sqrt(looks.reduce((sum, look) => sum + (look[i] - middle) ** 2, 0) / looks.length)),
  );
  return { mean: mean.map(settled), deviation: deviation.map(settled) };
}
