/** A worker thread of the in-process pool. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createCompute, type EngineName } from '#compute';
import { limits as defaultLimits, type Limits } from '#config';
import { loadModel, placeModel } from '#matching';
import { encodeJobs } from './encode.js';
import type { PreparedUpload, ScoredSides, ScoringJob, Upload, UploadFindings } from './port.js';
import { prepareUpload } from './prepare.js';
import type { BatchMessage, Result, ResultMessage } from './thread-pool.js';

export interface ThreadData {
  /** Path of the model file. */
  modelFile: string;
  engine: EngineName;
  /** What an upload may hold; the defaults where not given. */
  limits?: Limits;
}

type Jobs<T> = { id: number; payload: T }[];

const { modelFile, engine, limits = defaultLimits } = workerData as ThreadData;
const model = loadModel(readFileSync(modelFile));
const compute = await createCompute(engine);
const placed = await placeModel(model, compute);

const tell = (results: Result[], transfer: ArrayBuffer[] = []) => {
  if (results.length > 0) parentPort!.postMessage({ results } satisfies ResultMessage, transfer);
};

/** A refusal travels as what it says, anything else as a fault without the input's content. */
function failure(id: number, error: unknown, findings: UploadFindings = {}): Result {
  const { kind, detail, side } = error as { kind?: string; detail?: string; side?: string };
  if (kind !== undefined && detail !== undefined) return { id, error: { kind, detail, side, findings } };
  return { id, error: { fault: error instanceof Error ? `${error.message}\n${error.stack}` : 'unknown fault' } };
}

async function prepare(upload: Upload, findings: UploadFindings): Promise<PreparedUpload> {
  try {
    return await prepareUpload(upload, model, limits, findings);
  } finally {
    if (upload.kind === 'json') upload.body.fill(0);
    else for (const { data } of [...upload.rough, ...upload.polish]) data.fill(0);
  }
}

/** Lane `score`: vectors of spectra on the reference axis. */
async function score(jobs: Jobs<ScoringJob>): Promise<void> {
  if (jobs.length === 0) return;
  try {
    const encoded = await encodeJobs(
      placed,
      jobs.map(({ payload }) => payload),
    );
    const value = (i: number): ScoredSides => ({ ...encoded[i], model: model.digest, engine: compute.name });
    tell(jobs.map(({ id }, i) => ({ id, value: value(i) })));
  } catch (error) {
    tell(jobs.map(({ id }) => failure(id, error)));
  }
}

/** Lane `claim`: uploads that waited together, each checked and then all encoded in one pass. Spectra stay here. */
async function claim(jobs: Jobs<Upload>): Promise<void> {
  const checked: Result[] = [];
  const sound: Jobs<ScoringJob> = [];
  for (const { id, payload } of jobs) {
    const findings: UploadFindings = {};
    try {
      const { spectra, ...progress } = await prepare(payload, findings);
      const { rough, polish } = progress;
      checked.push({ id, progress });
      sound.push({
        id,
        payload: { model: model.digest, roughCount: rough.count, polishCount: polish.count, spectra },
      });
    } catch (error) {
      checked.push(failure(id, error, findings));
    }
  }
  tell(checked);
  await score(sound);
}

/** Lane `prepare`: an upload checked here and scored elsewhere. */
async function check(jobs: Jobs<Upload>): Promise<void> {
  for (const { id, payload } of jobs) {
    const findings: UploadFindings = {};
    try {
      const value = await prepare(payload, findings);
      tell([{ id, value }], [value.spectra.buffer]);
    } catch (error) {
      tell([failure(id, error, findings)]);
    }
  }
}

async function answer({ lane, jobs }: BatchMessage): Promise<void> {
  if (lane === 'claim') await claim(jobs as Jobs<Upload>);
  else if (lane === 'prepare') await check(jobs as Jobs<Upload>);
  else await score(jobs as Jobs<ScoringJob>);
}

let last = Promise.resolve();
parentPort!.on('message', (message: BatchMessage) => {
  last = last.then(() => answer(message));
});
parentPort!.postMessage('ready');
