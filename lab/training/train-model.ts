import { ThreadPool } from '#kit/threads/pool';
import { SimdKernel } from '#science/compute/simd-kernel';
import { INPUT } from '#science/matching/input';
import { type Encoder, type Model, modelOf, VECTOR } from '#science/matching/model';
import { type CosineTable, CrossScores } from '../cross-scores.js';
import type { EncoderState } from './encoder-training.js';
import type { EncoderJob, EncoderReport } from './encoder-worker.js';
import type { EncoderSettings, SpectraTable } from './settings.js';

export interface TrainingData {
  train: SpectraTable;
  /** Stones that no gradient sees: 6 rough and 1 polish scans each, as in a claim. */
  heldOut: SpectraTable;
}

/** One epoch that all encoders have finished. */
export interface EpochReport {
  epoch: number;
  /** Mean loss of the encoders, nats a stone. */
  loss: number;
  /** The same of the held-out stones, without any masks. */
  heldOutLoss: number;
  /** Share of held-out genuine claims above the held-out 0.98 threshold, the encoders fused. */
  accept: number;
  /** Seconds since the start, and those expected to remain. */
  elapsed: number;
  left: number;
}

export interface TrainingHooks {
  onEpoch?(report: EpochReport): void;
  /** Keeps an encoder's state, to go on from after a kill. */
  saveState?(encoder: string, state: EncoderState): void;
  loadState?(encoder: string): EncoderState | undefined;
  /** Seconds from any origin. */
  clock(): number;
}

/**
 * Trains a model, each encoder in a thread of its own.
 * @param from a model to start from instead of the closed form; encoders are matched by place
 */
export async function trainModel(
  name: string,
  settings: EncoderSettings[],
  data: TrainingData,
  hooks: TrainingHooks,
  from?: Model,
): Promise<{ model: Model; epochs: EpochReport[] }> {
  const started = hooks.clock();
  const cosines = cosinesOf(SimdKernel.create());
  const epochs: EpochReport[] = [];
  const reports = settings.map((): EncoderReport[] => []);
  const firstEpochs = settings.map(() => 0);
  let chain = Promise.resolve();
  const pool = new ThreadPool({ threads: settings.length });
  const run = async (setting: EncoderSettings, index: number): Promise<Encoder> => {
    const job: EncoderJob = {
      settings: setting,
      ...{ table: data.train, heldOut: data.heldOut },
      encoder: from?.encoders[index],
      state: hooks.loadState?.(setting.name),
    };
    firstEpochs[index] = job.state?.epoch ?? 0;
    let trained: Encoder | undefined;
    const onProgress = (reached: unknown) => {
      const report = reached as EncoderReport;
      hooks.saveState?.(setting.name, report.state);
      reports[index].push({
        ...report,
        state: { ...report.state, first: NONE, second: NONE, parameters: NONE, best: undefined },
      });
      chain = chain.then(tellCommonEpoch);
      trained = report.encoder;
    };
    await pool.run(new URL('./encoder-worker.js', import.meta.url), 'trainEncoder', [job], { onProgress });
    return trained!;
  };

  /** Reports the next epoch that every encoder has reached. */
  const tellCommonEpoch = async () => {
    const epoch = (epochs.at(-1)?.epoch ?? Math.max(...firstEpochs) - 1) + 1;
    const parts = reports.map((list) => list.find((report) => report.epoch === epoch));
    if (parts.some((part) => part === undefined)) return;
    const ready = parts as EncoderReport[];
    const accept = await heldOutAccept(ready, data.heldOut.stones, cosines);
    const elapsed = hooks.clock() - started;
    const total = settings[0].epochs;
    const left = (elapsed / Math.max(1, epoch - Math.max(...firstEpochs))) * (total - epoch);
    const mean = (of: (report: EncoderReport) => number) => ready.reduce((sum, r) => sum + of(r), 0) / ready.length;
    const losses = { loss: mean((r) => r.loss), heldOutLoss: mean((r) => r.heldOutLoss) };
    const report = { epoch, ...losses, accept, elapsed, left };
    epochs.push(report);
    for (const list of reports) list.splice(0, list.findIndex((one) => one.epoch === epoch) + 1);
    hooks.onEpoch?.(report);
  };

  try {
    const encoders = await Promise.all(settings.map(run));
    await chain;
    return { model: modelOf(name, encoders, from?.input ?? INPUT), epochs };
  } finally {
    await pool.close();
  }
}

const NONE = new Float32Array(0);

/** Cosine tables by the SIMD kernel. */
export const cosinesOf =
  (kernel: SimdKernel): CosineTable =>
  async (a, rowsA, b, rowsB, width) =>
    kernel.productRightTransposed(a, b, rowsA, width, rowsB);

async function heldOutAccept(sides: EncoderReport[], stones: number, cosines: CosineTable): Promise<number> {
  const scores = await CrossScores.of(
    {
      stones: Array.from({ length: stones }, (_, i) => ({ roughDigest: `${i}`, polishDigest: `${i}` })),
      encoders: sides.map(({ rough, polish }) => ({ rough, polish, width: VECTOR })),
    },
    cosines,
  );
  return scores.confirmed(scores.threshold(0.98).threshold).share;
}
