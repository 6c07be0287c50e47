/** A training run of the command line: progress, checkpoints, the loss curve, and the files kept. */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import { makeFolder } from '#config/folder';
import { CARD_FILE } from '#science/matching/folder';
import { type Model, modelFile } from '#science/matching/model';
import { ModelFileError } from '#science/matching/safetensors';
import { MODEL_FILE } from '#science/matching/shipped';
import { io } from '../apps/cli/io.js';
import { printError } from '../apps/cli/print.js';
import {
  type EncoderSettings,
  type EpochReport,
  readState,
  type SpectraTable,
  stateFile,
  trainModel,
} from './training/index.js';

/** Seconds from any origin. */
export const clock = () => performance.now() / 1000;

export interface Run {
  /** Folder of the model. */
  out: string;
  name: string;
  settings: EncoderSettings[];
  data: { train: SpectraTable; heldOut: SpectraTable };
  /** The plan with which a checkpoint must agree to be resumed. */
  plan: string;
  from?: Model;
  /** The name of the trained part, where there are several: in the checkpoint's name. */
  part?: string;
}

/** Trains with a progress bar and a checkpoint an epoch; goes on from checkpoints of the same plan. */
export async function trainKept(run: Run): Promise<{ model: Model; epochs: EpochReport[] }> {
  const { out, name, settings, data, plan, from, part = 'training' } = run;
  const folder = join(out, 'checkpoint');
  const path = (encoder: string) => join(folder, `${part}-${encoder}.safetensors`);
  makeFolder(folder);
  const bar = lossBar(part, settings[0].epochs);
  const trained = await trainModel(
    name,
    settings,
    data,
    {
      clock,
      loadState: (encoder) => {
        if (!existsSync(path(encoder))) return undefined;
        try {
          const state = readState(readFileSync(path(encoder)), plan);
          if (state) printError(`${part}: encoder ${encoder} goes on after epoch ${state.epoch} of ${path(encoder)}`);
          return state;
        } catch (error) {
          // Cut off or of another kind: start afresh.
          if (error instanceof ModelFileError) return undefined;
          throw error;
        }
      },
      saveState: (encoder, state) => {
        writeFileSync(`${path(encoder)}.new`, stateFile(state, plan));
        renameSync(`${path(encoder)}.new`, path(encoder));
      },
      onEpoch: ({ epoch, loss, accept, left }) => {
        const shown = {
          loss: Number.isNaN(loss) ? 'none yet' : loss.toFixed(4),
          accept: `${(100 * accept).toFixed(1)}% at 0.98`,
          left: `${Math.ceil(left / 60)} min`,
        };
        if (bar) bar.update(epoch, shown);
        else
          printError(
            `${part}, epoch ${epoch}: loss ${shown.loss}, held-out accept ${shown.accept}, ${shown.left} left`,
          );
      },
    },
    from,
  );
  bar?.stop();
  return trained;
}

/** Name of the picture in a model's folder. */
const LOSS_FILE = 'loss.svg';

/** Draws the losses of trainings, and says where. */
export async function drawLosses(out: string, runs: { part: string; epochs: EpochReport[] }[]): Promise<string> {
  // The charting library takes longer to load than a model to read.
  const { plotLosses } = await import('./commands/plot-scores.js');
  const file = join(out, LOSS_FILE);
  await writeFile(
    file,
    plotLosses(
      runs.flatMap(({ part, epochs }) => [
        { name: `${part}, trained stones`, points: epochs.map(({ epoch, loss }) => [epoch, loss]) },
        { name: `${part}, held-out stones`, points: epochs.map(({ epoch, heldOutLoss }) => [epoch, heldOutLoss]) },
      ]),
    ),
  );
  return file;
}

/** Writes a model and its card. */
export async function keep(out: string, model: Model, about: Record<string, unknown>): Promise<void> {
  makeFolder(out);
  await writeFile(join(out, MODEL_FILE), modelFile(model));
  const { sampling, upTo, pooling } = model.input;
  const input = { sampling, view_to: upTo, pooling };
  const card = { name: model.name, digest: model.digest, input, simulated: !('own_pairs' in about), ...about };
  await writeFile(join(out, CARD_FILE), `${JSON.stringify(card, null, 2)}\n`);
}

/** Drops the checkpoints of a training that has ended. */
export const dropCheckpoints = (out: string) => rm(join(out, 'checkpoint'), { recursive: true, force: true });

/** A bar of epochs with their losses, on stderr where that is a terminal. */
function lossBar(part: string, epochs: number): SingleBar | undefined {
  const { stderr } = io();
  if (!stderr.isTTY) return undefined;
  const format = `${part} {bar} epoch {value}/{total}, loss {loss}, held-out accept {accept}, {left} left`;
  const bar = new SingleBar({ format, stream: stderr, hideCursor: true }, Presets.shades_classic);
  bar.start(epochs, 0, { loss: 'none yet', accept: 'unknown', left: 'some time' });
  return bar;
}
