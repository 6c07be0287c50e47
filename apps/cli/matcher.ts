import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { simdCompute } from '#science/compute/cpu-engines';
import type { Compute } from '#science/compute/port';
import { encodeSides, type PlacedModel, placeModel } from '#science/matching/encoder';
import { type ModelFolder, readModelFolder } from '#science/matching/folder';
import { type Model, VECTOR } from '#science/matching/model';
import { MODEL_FILE, modelIn, shippedModel, shippedModelFolder } from '#science/matching/shipped';
import { examineSide, type ScoredSide } from '#science/matching/verdict';
import { readScanFiles } from '#science/spectra/files';
import { type Side, type Unused } from '#science/spectra/refusal';
import { type PreparedSide, prepareSide, type ScanSet } from '#science/spectra/scan-set';
import { UsageError } from './exit.js';
import { readInputs, tellUnused } from './files.js';
import { printError } from './print.js';

/** The option `--model` of the commands that take one. */
export const MODEL_OPTION = ['--model <folder>', 'folder of the model (default: the shipped one)'] as const;

/** Reads the model in a folder, or the shipped one. @throws UsageError */
export function openModel(folder = shippedModelFolder()): Model {
  requireModel(folder);
  return modelIn(folder);
}

/**
 * Reads a model with its ladder, as the service does: the shipped one by default. Warns where nothing detects a changed
 * ladder.
 * @throws UsageError, ModelFileError, Refusal of kind `asset`
 */
export function openModelFolder(folder = shippedModelFolder()): ModelFolder {
  requireModel(folder);
  const opened = readModelFolder(folder);
  if (!opened.pinned)
    printError(`mvs: the card of the model in ${folder} names no ladder: a changed one cannot be detected`);
  return opened;
}

function requireModel(folder: string): void {
  if (!existsSync(join(folder, MODEL_FILE)))
    throw new UsageError(`there is no model in ${folder}: ${MODEL_FILE} is missing`);
}

/** A side that was read, examined and encoded. */
export type MeasuredSide = ScoredSide & Pick<PreparedSide, 'digest'>;

/** A model on the SIMD kernel: a few scans are encoded before another engine has warmed up, and bits never change. */
export class Matcher {
  private constructor(
    readonly model: Model,
    readonly compute: Compute,
    private readonly placed: PlacedModel,
  ) {}

  static async open(model = shippedModel()): Promise<Matcher> {
    const compute = simdCompute();
    return new Matcher(model, compute, await placeModel(model, compute));
  }

  /** Reads one side's files, folders or zips. Throws the Refusal that names what is wrong. */
  async read(side: Side, paths: string[]): Promise<ScanSet> {
    const listed: Unused[] = [];
    const set = await readScanFiles(side, await readInputs(side, paths, listed));
    tellUnused([...listed, ...(set.unused ?? [])]);
    return set;
  }

  /** @throws Refusal */
  async measure(set: ScanSet): Promise<MeasuredSide> {
    const prepared = prepareSide(set, this.model.input.sampling);
    const examined = examineSide(prepared, this.model);
    const [vectors] = await encodeSides(this.placed, prepared.spectra, [prepared.count]);
    const { digest } = prepared;
    return { ...examined, digest, vectors };
  }

  async close(): Promise<void> {
    this.placed.release();
    await this.compute.close();
  }
}

/** Rows of a bank: the pooled vectors of measured sides, one matrix an encoder. */
export function stack(sides: MeasuredSide[], encoder: number): Float32Array {
  const rows = new Float32Array(sides.length * VECTOR);
  sides.forEach((side, row) => {
    rows.set(side.vectors[encoder], row * VECTOR);
  });
  return rows;
}
