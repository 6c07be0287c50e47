/** A worker thread of the in-process pool. */
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createCompute, type EngineName } from '#compute';
import { limits as defaultLimits, type Limits } from '#config';
import { loadModel, type PlacedModel, placeModel } from '#matching';
import { encodeJobs } from './encode.js';
import type { PreparedUpload, ScoredSides, ScoringJob, Upload, UploadFindings } from './port.js';
import { prepareUpload } from './prepare.js';
import type { BatchMessage, Result, ResultMessage } from './thread-pool.js';

export interface ThreadData {
  /** Paths of the models' files. */
  modelFiles: readonly string[];
  engine: EngineName;
  /** What an upload may hold; the defaults where not given. */
  limits?: Limits;
}

/** A claim's upload, to be checked and encoded. */
export interface ClaimJob {
  upload: Upload;
  /** Digest of the model. */
  model: string;
  /** Digest of another model, for which the spectra are handed back. */
  beside?: string;
}

export interface EncodedClaim {
  sides: ScoredSides;
  /** The spectra of a `ScoringJob` of the model beside. */
  kept?: Float32Array;
}

type Jobs<T> = { id: number; payload: T }[];

const { modelFiles, engine, limits = defaultLimits } = workerData as ThreadData;
const compute = await createCompute(engine);
const placed = new Map<string, PlacedModel>();
for (const file of modelFiles) {
  const model = loadModel(readFileSync(file));
  placed.set(model.digest, await placeModel(model, compute));
}

/** The pool's owner asks for models that it had loaded. */
const held = (digest: string): PlacedModel => {
  const model = placed.get(digest);
  if (!model) throw new Error(`model ${digest} is not loaded`);
  return model;
};

const tell = (results: Result[], transfer: ArrayBuffer[] = []) => {
  if (results.length > 0) parentPort!.postMessage({ results } satisfies ResultMessage, transfer);
};

/** A refusal travels as what it says, anything else as a fault without the input's content. */
function failure(id: number, error: unknown, findings: UploadFindings = {}): Result {
  const { kind, detail, side, file } = error as { kind?: string; detail?: string; side?: string; file?: string };
  if (kind !== undefined && detail !== undefined) return { id, error: { kind, detail, side, file, findings } };
  return { id, error: { fault: error instanceof Error ? `${error.message}\n${error.stack}` : 'unknown fault' } };
}

async function prepare({ upload, model, beside }: ClaimJob, findings: UploadFindings): Promise<PreparedUpload> {
  try {
    // A model beside that is not here is nobody's fault but its own: nothing is kept for it.
    return await prepareUpload(upload, held(model).model, limits, findings, placed.get(beside ?? '')?.model);
  } finally {
    if (upload.kind === 'json') upload.body.fill(0);
    else for (const { data } of [...upload.rough, ...upload.polish]) data.fill(0);
  }
}

/** Vectors of spectra on the reference axis; jobs of one model are encoded together. */
async function encode(
  jobs: Jobs<ScoringJob>,
  value: (sides: ScoredSides, id: number) => EncodedClaim | ScoredSides,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const digest of new Set(jobs.map(({ payload }) => payload.model))) {
    const batch = jobs.filter(({ payload }) => payload.model === digest);
    try {
      const encoded = await encodeJobs(
        held(digest),
        batch.map(({ payload }) => payload),
      );
      const sides = (i: number): ScoredSides => ({ ...encoded[i], model: digest, engine: compute.name });
      results.push(...batch.map(({ id }, i) => ({ id, value: value(sides(i), id) })));
    } catch (error) {
      results.push(...batch.map(({ id }) => failure(id, error)));
    }
  }
  return results;
}

/** Lanes `score` and `patient`. */
async function score(jobs: Jobs<ScoringJob>): Promise<void> {
  tell(await encode(jobs, (sides) => sides));
}

/** Lane `claim`: uploads that waited together, each checked and then all encoded in one pass. */
async function claim(jobs: Jobs<ClaimJob>): Promise<void> {
  const checked: Result[] = [];
  const sound: Jobs<ScoringJob> = [];
  const kept = new Map<number, Float32Array<ArrayBuffer>>();
  for (const { id, payload } of jobs) {
    const findings: UploadFindings = {};
    try {
      const { spectra, kept: forBeside, ...progress } = await prepare(payload, findings);
      const { rough, polish } = progress;
      checked.push({ id, progress });
      if (forBeside) kept.set(id, forBeside);
      sound.push({
        id,
        payload: { model: payload.model, roughCount: rough.count, polishCount: polish.count, spectra },
      });
    } catch (error) {
      checked.push(failure(id, error, findings));
    }
  }
  tell(checked);
  const results = await encode(sound, (sides, id) => ({ sides, kept: kept.get(id) }));
  tell(
    results,
    [...kept.values()].map(({ buffer }) => buffer),
  );
}

/** Lane `prepare`: an upload checked here and scored elsewhere. */
async function check(jobs: Jobs<ClaimJob>): Promise<void> {
  for (const { id, payload } of jobs) {
    const findings: UploadFindings = {};
    try {
      const value = await prepare(payload, findings);
      tell([{ id, value }], value.kept ? [value.spectra.buffer, value.kept.buffer] : [value.spectra.buffer]);
    } catch (error) {
      tell([failure(id, error, findings)]);
    }
  }
}

async function answer({ lane, jobs }: BatchMessage): Promise<void> {
  if (lane === 'claim') await claim(jobs as Jobs<ClaimJob>);
  else if (lane === 'prepare') await check(jobs as Jobs<ClaimJob>);
  else await score(jobs as Jobs<ScoringJob>);
}

const atHand: BatchMessage[] = [];
let busy = false;
async function work(): Promise<void> {
  if (busy) return;
  busy = true;
  for (let message = atHand.shift(); message; message = atHand.shift()) {
    await answer(message);
    // What came meanwhile is heard before the next one is begun.
    await setImmediate();
  }
  busy = false;
}
parentPort!.on('message', (message: BatchMessage) => {
  if (message.first) atHand.unshift(message);
  else atHand.push(message);
  void work();
});
parentPort!.postMessage('ready');
