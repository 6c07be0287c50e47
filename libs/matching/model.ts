import { createHash } from 'node:crypto';
import { REFERENCE_POINTS } from '#spectra';
import { ModelFileError, readSafetensors, type Tensor, type TensorFile, writeSafetensors } from './safetensors.js';
import type { View } from './view.js';

/** Length of a vector. */
export const VECTOR = 256;

/** z = normalise(view . linear + bias + gelu(view . hidden + hiddenBias) . output). Matrices are inputs x outputs. */
export interface Encoder {
  name: string;
  view: View;
  linear: Float32Array;
  bias: Float32Array;
  hidden: Float32Array;
  hiddenBias: Float32Array;
  output: Float32Array;
}

export interface Model {
  name: string;
  encoders: Encoder[];
  /** SHA-256 (64 hex) over the canonical file: what a ladder and a bank are pinned to. */
  digest: string;
}

const FORMAT = 'mvs-encoders-1';
const ENCODERS_LIMIT = 8;
const HIDDEN_LIMIT = 4096;

/** Gives the model its digest. */
export function modelOf(name: string, encoders: Encoder[]): Model {
  return { name, encoders, digest: createHash('sha256').update(modelFile({ name, encoders })).digest('hex') };
}

/** The canonical safetensors file of a model. */
export function modelFile({ name, encoders }: Pick<Model, 'name' | 'encoders'>): Uint8Array {
  const tensors = new Map<string, Tensor>();
  const metadata: Record<string, string> = { format: FORMAT, name, encoders: encoders.map((e) => e.name).join(' ') };
  for (const encoder of encoders) {
    metadata[`${encoder.name}.derivative`] = String(encoder.view.derivative);
    for (const [part, shape, data] of partsOf(encoder)) tensors.set(`${encoder.name}.${part}`, { shape, data });
  }
  return writeSafetensors({ tensors, metadata });
}

function partsOf(encoder: Encoder): [string, number[], Float32Array][] {
  const hidden = encoder.hiddenBias.length;
  return [
    ['yardstick', [REFERENCE_POINTS], encoder.view.yardstick],
    ['scale', [REFERENCE_POINTS], encoder.view.scale],
    ['linear', [REFERENCE_POINTS, VECTOR], encoder.linear],
    ['bias', [VECTOR], encoder.bias],
    ['hidden', [REFERENCE_POINTS, hidden], encoder.hidden],
    ['hidden_bias', [hidden], encoder.hiddenBias],
    ['output', [hidden, VECTOR], encoder.output],
  ];
}

/** Reads a model from any bytes, or throws ModelFileError. */
export function loadModel(file: Uint8Array): Model {
  const { tensors, metadata } = readSafetensors(file);
  if (metadata.format !== FORMAT) throw new ModelFileError(`The model file is not of the format ${FORMAT}.`);
  const names = (metadata.encoders ?? '').split(' ');
  if (
    names.length > ENCODERS_LIMIT ||
    new Set(names).size !== names.length ||
    names.some((n) => !/^\w{1,40}$/.test(n))
  ) {
    throw new ModelFileError('The model file does not name its encoders.');
  }
  const encoders = names.map((name) => readEncoder(name, { tensors, metadata }));
  const known = new Set(encoders.flatMap((encoder) => partsOf(encoder).map(([part]) => `${encoder.name}.${part}`)));
  const stray = [...tensors.keys()].find((name) => !known.has(name));
  if (stray !== undefined) throw new ModelFileError(`The model file has a tensor too many: ${stray.slice(0, 80)}.`);
  return modelOf(metadata.name ?? '', encoders);
}

function readEncoder(name: string, { tensors, metadata }: TensorFile): Encoder {
  const derivative = Number(metadata[`${name}.derivative`]);
  if (derivative !== 1 && derivative !== 2) throw new ModelFileError(`Encoder ${name} has no derivative view.`);
  const hidden = tensors.get(`${name}.hidden_bias`)?.data.length ?? 0;
  if (hidden < 1 || hidden > HIDDEN_LIMIT) throw new ModelFileError(`Encoder ${name} has no hidden layer.`);
  const part = (key: string, ...shape: number[]) => {
    const tensor = tensors.get(`${name}.${key}`);
    if (tensor?.shape.join() !== shape.join()) {
      throw new ModelFileError(`Tensor ${name}.${key} is not of shape ${shape.join(' x ')}.`);
    }
    if (!tensor.data.every(Number.isFinite)) throw new ModelFileError(`Tensor ${name}.${key} is not finite.`);
    return tensor.data;
  };
  const scale = part('scale', REFERENCE_POINTS);
  if (!scale.every((value) => value > 0)) throw new ModelFileError(`Encoder ${name} has a scale of nought.`);
  return {
    name,
    view: { derivative, yardstick: part('yardstick', REFERENCE_POINTS), scale },
    linear: part('linear', REFERENCE_POINTS, VECTOR),
    bias: part('bias', VECTOR),
    hidden: part('hidden', REFERENCE_POINTS, hidden),
    hiddenBias: part('hidden_bias', hidden),
    output: part('output', hidden, VECTOR),
  };
}
