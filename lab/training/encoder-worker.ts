import { SimdKernel } from '#science/compute/simd-kernel';
import type { Encoder } from '#science/matching/model';
import { type EncoderState, EncoderTraining, preprocessTable } from './encoder-training.js';
import { matchLoss, type Products } from './network.js';
import type { EncoderSettings, SpectraTable } from './settings.js';

/** The job of one encoder's thread. */
export interface EncoderJob {
  settings: EncoderSettings;
  table: SpectraTable;
  heldOut: SpectraTable;
  encoder?: Encoder;
  state?: EncoderState;
}

/** Its report after the start (epoch as given) and after every epoch; the encoder comes with the last one. */
export interface EncoderReport {
  epoch: number;
  loss: number;
  state: EncoderState;
  /** Symmetric InfoNCE of the held-out stones, nats a stone. */
  heldOutLoss: number;
  /** Pooled vectors of the held-out stones' sides, stones x 256. */
  rough: Float32Array;
  polish: Float32Array;
  encoder?: Encoder;
}

/** Trains one encoder to the end. */
export function trainEncoder(
  { settings, table, heldOut, encoder, state }: EncoderJob,
  report: (reached: EncoderReport) => void,
): void {
  const kernel = SimdKernel.create() as Products;
  const training = EncoderTraining.start(kernel, settings, table, { encoder, state });
  const unseen = preprocessTable(training.preprocessing, heldOut);
  const reached = (loss: number) => {
    const done = training.epoch === settings.epochs;
    const sides = training.sides(unseen, heldOut);
    const heldOutLoss = matchLoss(kernel, sides.rough, sides.polish);
    training.judged(heldOutLoss);
    report({
      epoch: training.epoch,
      loss,
      heldOutLoss,
      state: training.state(),
      ...sides,
      encoder: done ? training.encoder() : undefined,
    });
  };
  reached(Number.NaN);
  while (training.epoch < settings.epochs) reached(training.runEpoch());
}
