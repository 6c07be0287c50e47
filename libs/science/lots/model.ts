/**
 * The lot model: one linear encoder, a cohort of other stones, and the bar. It shares no weights with the models of
 * claims, and its file says what it is: neither reads the other's.
 */
import { createHash } from 'node:crypto';
import type { Preprocessing } from '#science/matching/preprocess';
import { ModelFileError, readSafetensors, writeSafetensors } from '#science/matching/safetensors';

/** Numbers a stone. */
export const LOT_VECTOR = 96;

/** Positions of the stones under the microscope: in a heap, on their tables, or tables up with the focus at the culet. */
export const SESSION_TYPES = ['shaken', 'table-up', 'culet-focus'] as const;
export type SessionType = (typeof SESSION_TYPES)[number];

/** A line in the natural logarithm of the lot's size: at + slope ln n. */
export interface Line {
  at: number;
  slope: number;
}

/** The bars of one session type, for differences of log-likelihood ratios (docs/concepts/lot-method.md). */
export interface Bars {
  /** At or below it lie 90% of the best scores of unrelated stones, every place of the lot being open. */
  falseAccept: Line;
  /** Above it lie 98% of the best scores of genuine members. */
  genuine: Line;
}

/** The look of a session of each type, to detect a declared type that does not fit: means and standard deviations. */
export interface SessionFeatures {
  mean: number[];
  deviation: number[];
}

export type SessionOffset = 'kept' | 'removed';

export interface LotModel {
  name: string;
  /** First and second derivative, the same length each. */
  preprocessing: [Preprocessing, Preprocessing];
  /** Mean of training stones, both derivatives preprocessed, 2 x points. */
  mean: Float32Array;
  /** 2 x points rows of LOT_VECTOR columns. */
  projection: Float32Array;
  /** Between-stone variance of each number, the within-stone variance being 1; falling. */
  between: Float32Array;
  /** Stones of other parcels, rows of LOT_VECTOR, each less the mean of its own parcel. */
  cohort: Float32Array;
  /** Cohort stones that count as near; left out where it is the usual number. */
  nearest?: number;
  bars: Record<SessionType, Bars>;
  looks: Record<SessionType, SessionFeatures>;
  /** The returning session's part in all stones, if it is taken off before they are scored. */
  sessionOffset: SessionOffset;
  /** SHA-256 (64 hex) of the canonical file. */
  digest: string;
}

export const LOT_MODEL_FILE = 'lot-model.safetensors';
/** The format says how returning stones are scored: who knows the first alone must not read the second. */
const FORMATS: Record<SessionOffset, string> = { kept: 'mvs-lots-1', removed: 'mvs-lots-2' };
/** Lowest wavenumber that the encoder sees, cm^-1: the microscope's detector ends at 660. */
export const LOT_VIEW_FROM = 690;

export function lotModelOf(parts: Omit<LotModel, 'digest'>): LotModel {
  return { ...parts, digest: createHash('sha256').update(lotModelFile(parts)).digest('hex') };
}

/** The canonical file of a model. */
export function lotModelFile(model: Omit<LotModel, 'digest'>): Uint8Array {
  const points = model.preprocessing[0].scale.length;
  const vector = (data: Float32Array) => ({ shape: [data.length], data });
  return writeSafetensors({
    tensors: new Map([
      ['view_1.yardstick', vector(model.preprocessing[0].yardstick)],
      ['view_1.scale', vector(model.preprocessing[0].scale)],
      ['view_2.yardstick', vector(model.preprocessing[1].yardstick)],
      ['view_2.scale', vector(model.preprocessing[1].scale)],
      ['mean', vector(model.mean)],
      ['projection', { shape: [2 * points, LOT_VECTOR], data: model.projection }],
      ['between', vector(model.between)],
      ['cohort', { shape: [model.cohort.length / LOT_VECTOR, LOT_VECTOR], data: model.cohort }],
    ]),
    metadata: {
      format: FORMATS[model.sessionOffset],
      name: model.name,
      bars: JSON.stringify(model.bars),
      looks: JSON.stringify(model.looks),
    },
  });
}

/** @throws ModelFileError with a sentence */
export function loadLotModel(file: Uint8Array): LotModel {
  const { tensors, metadata } = readSafetensors(file);
  const sessionOffset = (['kept', 'removed'] as const).find((method) => FORMATS[method] === metadata.format);
  if (sessionOffset === undefined) {
    throw new ModelFileError(
      `The file holds no lot model: its format is ${metadata.format ?? 'not given'}, not ${Object.values(FORMATS).join(' or ')}.`,
    );
  }
  const tensor = (name: string, ...shape: (number | undefined)[]) => {
    const found = tensors.get(name);
    const fits = found?.shape.length === shape.length && shape.every((n, i) => n === undefined || n === found.shape[i]);
    if (!found || !fits || !found.data.every(Number.isFinite)) {
      throw new ModelFileError(`The lot model's ${name} is missing, misshapen or not finite.`);
    }
    return found.data;
  };
  const points = tensor('view_1.scale', undefined).length;
  const preprocessing = (derivative: 1 | 2): Preprocessing => ({
    derivative,
    yardstick: tensor(`view_${derivative}.yardstick`, points),
    scale: tensor(`view_${derivative}.scale`, points),
  });
  const model = {
    name: metadata.name ?? '',
    preprocessing: [preprocessing(1), preprocessing(2)] as [Preprocessing, Preprocessing],
    mean: tensor('mean', 2 * points),
    projection: tensor('projection', 2 * points, LOT_VECTOR),
    between: tensor('between', LOT_VECTOR),
    cohort: tensor('cohort', undefined, LOT_VECTOR),
    bars: readBars(metadata.bars),
    looks: readLooks(metadata.looks),
    sessionOffset,
  };
  if (tensors.size !== 8) throw new ModelFileError('The lot model holds a tensor too many.');
  if (model.preprocessing.some(({ scale }) => !scale.every((value) => value > 0))) {
    throw new ModelFileError('The lot model has a scale of nought.');
  }
  if (!model.between.every((value) => value > 0)) throw new ModelFileError('The lot model has a variance of nought.');
  if (model.cohort.length < 10 * LOT_VECTOR) throw new ModelFileError('The lot model has fewer than 10 cohort stones.');
  return lotModelOf(model);
}

export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function bySession<T>(
  text: string | undefined,
  what: string,
  fits: (one: unknown) => one is T,
): Record<SessionType, T> {
  try {
    const table: unknown = JSON.parse(text ?? '');
    if (typeof table === 'object' && table !== null) {
      const read = SESSION_TYPES.map((type) => [type, (table as Record<string, unknown>)[type]] as const);
      if (read.every(([, one]) => fits(one))) return Object.fromEntries(read) as Record<SessionType, T>;
    }
  } catch {
    // reported below
  }
  throw new ModelFileError(`The lot model's ${what} cannot be read.`);
}

const isLine = (line: unknown): line is Line => {
  const { at, slope } = (line ?? {}) as Partial<Line>;
  return isNumber(at) && isNumber(slope);
};
const readBars = (text?: string) =>
  bySession(text, 'bars', (one): one is Bars => {
    const { falseAccept, genuine } = (one ?? {}) as Partial<Bars>;
    return isLine(falseAccept) && isLine(genuine);
  });
const readLooks = (text?: string) =>
  bySession(text, 'looks', (one): one is SessionFeatures => {
    const { mean, deviation } = (one ?? {}) as Partial<SessionFeatures>;
    const lists = [mean, deviation];
    return lists.every((list) => Array.isArray(list) && list.every(isNumber)) && mean!.length === deviation!.length;
  });
