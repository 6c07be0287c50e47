/** A worker thread of the in-process pool: reads uploads (lane `prepare`) and encodes scans (lane `score`). */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createCompute, type EngineName } from '#compute';
import { loadModel, placeModel } from '#matching';
import { encodeJobs } from './encode.js';
import type { ScoringJob } from './port.js';
import { type NamedFile, prepareUpload, type Upload } from './prepare.js';
import type { BatchMessage, ResultMessage } from './thread-pool.js';

export interface ThreadData {
  /** Path of the model file. */
  modelFile: string;
  engine: EngineName;
}

const { modelFile, engine } = workerData as ThreadData;
const model = loadModel(readFileSync(modelFile));
const compute = await createCompute(engine);
const placed = await placeModel(model, compute);

type Result = ResultMessage['results'][number];

async function prepare(id: number, upload: Upload): Promise<[Result, ArrayBuffer[]]> {
  try {
    const value = await prepareUpload(upload, model);
    return [{ id, value }, [value.spectra.buffer]];
  } catch (error) {
    return [{ id, error: describe(error) }, []];
  } finally {
    const wiped: Uint8Array[] = upload.kind === 'json' ? [upload.body] : [...upload.rough, ...upload.polish].map(bytes);
    for (const data of wiped) data.fill(0);
  }
}

const bytes = (file: NamedFile) => file.data;

/** A refusal travels as what it says, anything else as a fault without the input's content. */
function describe(error: unknown): unknown {
  const { kind, detail, side, file } = error as { kind?: string; detail?: string; side?: string; file?: string };
  if (kind !== undefined && detail !== undefined) return { kind, detail, side, file };
  return { fault: error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : 'unknown fault' };
}

async function score(jobs: { id: number; payload: ScoringJob }[]): Promise<Result[]> {
  try {
    const sides = await encodeJobs(
      placed,
      jobs.map(({ payload }) => payload),
    );
    return jobs.map(({ id }, i) => ({ id, value: { ...sides[i], model: model.digest, engine: compute.name } }));
  } catch (error) {
    return jobs.map(({ id }) => ({ id, error: describe(error) }));
  }
}

async function answer({ lane, jobs }: BatchMessage): Promise<void> {
  if (lane === 'score') {
    parentPort!.postMessage({ results: await score(jobs as { id: number; payload: ScoringJob }[]) });
    return;
  }
  for (const { id, payload } of jobs) {
    const [result, transfer] = await prepare(id, payload as Upload);
    parentPort!.postMessage({ results: [result] }, transfer);
  }
}

let last = Promise.resolve();
parentPort!.on('message', (message: BatchMessage) => {
  last = last.then(() => answer(message));
});
parentPort!.postMessage('ready');
