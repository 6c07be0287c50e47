import { SimdKernel } from '#science/compute/simd-kernel';
import { type Encoder, VECTOR } from '#science/matching/model';
import { ScanMean, VectorMean } from '#science/matching/pool';
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

/** Pooled vectors of every stone's sides, of all their scans. */
function sidesOf(training: EncoderTraining, preprocessed: Float32Array, { stones, rough, polish }: SpectraTable) {
  const points = training.preprocessing.scale.length;
  const pooled = training.settings.pooling === 'scans';
  const encoded = (first: number, count: number) => {
    const vectors = new Float32Array(stones * VECTOR);
    const means = new Float32Array(stones * points);
    for (let s = 0; s < stones; s++) {
      const from = s * (rough + polish) + first;
      if (pooled) {
        const mean = new ScanMean(points);
        mean.add(preprocessed, from, count);
        mean.write(means, s * points);
      } else {
        const mean = new VectorMean(VECTOR);
        mean.add(training.encode(preprocessed.subarray(from * points, (from + count) * points)), 0, count);
        vectors.set(mean.unit(), s * VECTOR);
      }
    }
    return pooled ? training.encode(means) : vectors;
  };
  return { rough: encoded(0, rough), polish: encoded(rough, polish) };
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
    const sides = sidesOf(training, unseen, heldOut);
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
