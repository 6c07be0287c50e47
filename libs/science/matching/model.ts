import { createHash } from 'node:crypto';
import { VECTOR_LENGTH as VECTOR } from '#science/calibration/evidence';
import { REFERENCE_LAST } from '#science/spectra/axis';
import { FIRST_INPUT, INPUT, inputPoints, type ModelInput, POOLINGS } from './input.js';
import type { Preprocessing } from './preprocess.js';
import { ModelFileError, readSafetensors, type Tensor, type TensorFile, writeSafetensors } from './safetensors.js';

export { VECTOR };

/**
 * z = normalise(scan . linear + bias + gelu(scan . hidden + hiddenBias) . output), of a preprocessed scan. Matrices are inputs x outputs.
 * With a centre a side's vector is normalise(z - centre).
 */
export interface Encoder {
  name: string;
  preprocessing: Preprocessing;
  linear: Float32Array;
  bias: Float32Array;
  hidden: Float32Array;
  hiddenBias: Float32Array;
  output: Float32Array;
  /**
   * Mean vector of the sides of all stones that the model was made on, 256. Their common part tells no stones apart, and raises the score
   * of wrong pairs, of foreign stones most. Models before `match-4` have none.
   */
  centre?: Float32Array;
}

export interface Model {
  name: string;
  input: ModelInput;
  encoders: Encoder[];
  /** SHA-256 (64 hex) over the canonical file; ladders and banks are pinned to it. */
  digest: string;
}

/**
 * Each format says more than the one before: the first nothing of its input, the second sampling and range, the third pooling too, the
 * fourth has centres.
 */
const FORMATS = ['mvs-encoders-1', 'mvs-encoders-2', 'mvs-encoders-3', 'mvs-encoders-4'];
const ENCODERS_LIMIT = 8;
const HIDDEN_LIMIT = 4096;

/** Gives the model its digest. */
export function modelOf(name: string, encoders: Encoder[], input: ModelInput = INPUT): Model {
  const points = inputPoints(input);
  if (encoders.some(({ preprocessing }) => preprocessing.scale.length !== points))
    throw new RangeError(`preprocessing up to ${input.upTo} cm^-1 has ${points} points`);
  if (encoders.some(({ centre }) => !centre !== !encoders[0].centre))
    throw new RangeError('all encoders have a centre, or none has');
  const digest = createHash('sha256').update(modelFile({ name, input, encoders })).digest('hex');
  return { name, input, encoders, digest };
}

/** The canonical safetensors file of a model. */
export function modelFile({ name, input, encoders }: Omit<Model, 'digest'>): Uint8Array {
  const tensors = new Map<string, Tensor>();
  const { sampling, upTo, pooling } = input;
  const former = sampling === FIRST_INPUT.sampling && upTo === FIRST_INPUT.upTo ? 0 : 1;
  const format = encoders.some(({ centre }) => centre) ? 3 : pooling === 'scans' ? 2 : former;
  const metadata: Record<string, string> = {
    format: FORMATS[format],
    name,
    encoders: encoders.map((e) => e.name).join(' '),
    ...(format > 0 && { sampling, view_to: String(upTo) }),
    ...(format > 1 && { pooling }),
  };
  for (const encoder of encoders) {
    metadata[`${encoder.name}.derivative`] = String(encoder.preprocessing.derivative);
    for (const [part, shape, data] of partsOf(encoder)) tensors.set(`${encoder.name}.${part}`, { shape, data });
  }
  return writeSafetensors({ tensors, metadata });
}

function partsOf(encoder: Encoder): [string, number[], Float32Array][] {
  const hidden = encoder.hiddenBias.length;
  const points = encoder.preprocessing.scale.length;
  return [
    ['yardstick', [points], encoder.preprocessing.yardstick],
    ['scale', [points], encoder.preprocessing.scale],
    ['linear', [points, VECTOR], encoder.linear],
    ['bias', [VECTOR], encoder.bias],
    ['hidden', [points, hidden], encoder.hidden],
    ['hidden_bias', [hidden], encoder.hiddenBias],
    ['output', [hidden, VECTOR], encoder.output],
    ...(encoder.centre ? [['centre', [VECTOR], encoder.centre] as [string, number[], Float32Array]] : []),
  ];
}

/** Reads a model from any bytes, or throws ModelFileError. */
export function loadModel(file: Uint8Array): Model {
  const { tensors, metadata } = readSafetensors(file);
  if (!FORMATS.includes(metadata.format))
    throw new ModelFileError(`The model file is not of one of the formats ${FORMATS.join(', ')}.`);
  const input = metadata.format === FORMATS[0] ? FIRST_INPUT : readInput(metadata);
  const names = (metadata.encoders ?? '').split(' ');
  if (
    names.length > ENCODERS_LIMIT ||
    new Set(names).size !== names.length ||
    names.some((n) => !/^\w{1,40}$/.test(n))
  ) {
    throw new ModelFileError('The model file does not name its encoders.');
  }
  const encoders = names.map((name) => readEncoder(name, inputPoints(input), { tensors, metadata }));
  const known = new Set(encoders.flatMap((encoder) => partsOf(encoder).map(([part]) => `${encoder.name}.${part}`)));
  const stray = [...tensors.keys()].find((name) => !known.has(name));
  if (stray !== undefined) throw new ModelFileError(`The model file has a tensor too many: ${stray.slice(0, 80)}.`);
  return modelOf(metadata.name ?? '', encoders, input);
}

function readInput({ format, sampling, view_to, pooling: named }: Record<string, string>): ModelInput {
  if (sampling !== 'bridged' && sampling !== 'masked')
    throw new ModelFileError('The model file names no sampling that is known.');
  const upTo = Number(view_to);
  // The baseline is looked for up to 3990 cm^-1.
  if (!(upTo >= 4000 && upTo <= REFERENCE_LAST))
    throw new ModelFileError(`The model file gives no input up to 4000 to ${REFERENCE_LAST} cm^-1.`);
  // The second format knows vectors alone, and does not name them.
  const pooling = format === FORMATS[1] ? 'vectors' : POOLINGS.find((one) => one === named);
  if (!pooling) throw new ModelFileError(`The model file names no pooling: ${POOLINGS.join(' or ')}.`);
  return { sampling, upTo, pooling };
}

function allFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}

function readEncoder(name: string, points: number, { tensors, metadata }: TensorFile): Encoder {
  const derivative = Number(metadata[`${name}.derivative`]);
  if (derivative !== 1 && derivative !== 2) throw new ModelFileError(`Encoder ${name} has no derivative 1 or 2.`);
  const hidden = tensors.get(`${name}.hidden_bias`)?.data.length ?? 0;
  if (hidden < 1 || hidden > HIDDEN_LIMIT) throw new ModelFileError(`Encoder ${name} has no hidden layer.`);
  const part = (key: string, ...shape: number[]) => {
    const tensor = tensors.get(`${name}.${key}`);
    if (tensor?.shape.join() !== shape.join()) {
      throw new ModelFileError(`Tensor ${name}.${key} is not of shape ${shape.join(' x ')}.`);
    }
    if (!allFinite(tensor.data)) throw new ModelFileError(`Tensor ${name}.${key} is not finite.`);
    return tensor.data;
  };
  const scale = part('scale', points);
  if (!scale.every((value) => value > 0)) throw new ModelFileError(`Encoder ${name} has a scale of nought.`);
  return {
    name,
    preprocessing: { derivative, yardstick: part('yardstick', points), scale },
    linear: part('linear', points, VECTOR),
    bias: part('bias', VECTOR),
    hidden: part('hidden', points, hidden),
    hiddenBias: part('hidden_bias', hidden),
    output: part('output', hidden, VECTOR),
    ...(metadata.format === FORMATS[3] && { centre: part('centre', VECTOR) }),
  };
}
