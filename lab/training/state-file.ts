import { ModelFileError, readSafetensors, writeSafetensors } from '#science/matching/safetensors';
import type { EncoderState } from './encoder-training.js';

/** An encoder's state as a safetensors file, marked with the plan that it belongs to. */
export function stateFile(state: EncoderState, plan: string): Uint8Array {
  const { epoch, steps, parameters, first, second, best } = state;
  const tensor = (data: Float32Array) => ({ shape: [data.length], data });
  return writeSafetensors({
    tensors: new Map([
      ['parameters', tensor(parameters)],
      ['first', tensor(first)],
      ['second', tensor(second)],
      ...(best ? [['best', tensor(best.parameters)] as const] : []),
    ]),
    metadata: { plan, epoch: String(epoch), steps: String(steps), ...(best && { best: String(best.loss) }) },
  });
}

/** Reads a state; undefined where it belongs to another plan. Throws ModelFileError on anything but a state. */
export function readState(file: Uint8Array, plan: string): EncoderState | undefined {
  const { tensors, metadata } = readSafetensors(file);
  if (metadata.plan !== plan) return undefined;
  const [parameters, first, second] = ['parameters', 'first', 'second'].map((name) => tensors.get(name)?.data);
  const [epoch, steps] = [Number(metadata.epoch), Number(metadata.steps)];
  if (!parameters || first?.length !== parameters.length || second?.length !== parameters.length) {
    throw new ModelFileError('The checkpoint lacks a tensor.');
  }
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(steps) || epoch < 0 || steps < 0) {
    throw new ModelFileError('The checkpoint does not say how far it is.');
  }
  const best = tensors.get('best')?.data;
  return { epoch, steps, parameters, first, second, best: best && { loss: Number(metadata.best), parameters: best } };
}
