/** The jobs of the threads of `ThreadScoring`, lane by lane. */

import { limits as defaultLimits, type Limits, lotLimitsOf } from '#config/limits';
import type { Handlers, Jobs, Reply, Result } from '#kit/threads/protocol';
import { createCompute } from '#science/compute/choose';
import type { EngineName } from '#science/compute/port';
import type { LotModel } from '#science/lots/model';
import { type PlacedModel, placeModel } from '#science/matching/encoder';
import type { Model } from '#science/matching/model';
import { encodeJobs } from './encode.js';
import { failure, oneByOne } from './jobs.js';
import { lotLanes } from './lots/lanes.js';
import type { ScoredSides, ScoringJob } from './port.js';
import { prepareUpload } from './prepare.js';
import type { PreparedUpload, Upload, UploadFindings } from './upload.js';

export interface ThreadData {
  models: readonly Model[];
  /** Present if lots are served. */
  lotModel?: LotModel;
  engine: EngineName;
  /** Limits of an upload; the defaults if left out. */
  limits?: Limits;
}

/** A claim's upload, to be checked and encoded. */
export interface ClaimJob {
  upload: Upload;
  /** Digest of the model. */
  model: string;
  /** Digest of another model, for which the spectra are handed back. */
  shadow?: string;
}

export interface EncodedClaim {
  sides: ScoredSides;
  /** The spectra of the shadow model's `ScoringJob`. */
  forShadow?: Float32Array;
}

export async function lanes({ models, lotModel, engine, limits = defaultLimits }: ThreadData): Promise<Handlers> {
  const compute = await createCompute(engine);
  const placed = new Map<string, PlacedModel>();
  for (const model of models) placed.set(model.digest, await placeModel(model, compute));
  const work = new ThreadWork(placed, compute.name, limits);
  const score = (jobs: Jobs<ScoringJob>, reply: Reply) => work.score(jobs, reply);
  return {
    score,
    shadow: score,
    claim: (jobs, reply) => work.claim(jobs, reply),
    // Checked here, and scored elsewhere.
    prepare: oneByOne((job: ClaimJob, { findings, goOn }) => work.read(job, findings, goOn)),
    ...(lotModel && lotLanes(lotModel, lotLimitsOf(limits))),
  };
}

type Scored = Pick<Jobs<ScoringJob>[number], 'id' | 'payload'>;

class ThreadWork {
  constructor(
    private readonly placed: ReadonlyMap<string, PlacedModel>,
    private readonly engine: string,
    private readonly limits: Limits,
  ) {}

  async score(jobs: Jobs<ScoringJob>, reply: Reply): Promise<void> {
    reply(await this.encode(jobs, (sides) => sides));
  }

  /** Uploads that waited together, each checked and then all encoded in one pass. */
  async claim(jobs: Jobs<ClaimJob>, reply: Reply): Promise<void> {
    const checked: Result[] = [];
    const sound: Scored[] = [];
    const kept = new Map<number, Float32Array<ArrayBuffer>>();
    for (const { id, payload, goOn } of jobs) {
      const findings: UploadFindings = {};
      try {
        const { spectra, forShadow, ...progress } = await this.read(payload, findings, goOn);
        const { rough, polish } = progress;
        checked.push({ id, progress });
        if (forShadow) kept.set(id, forShadow);
        const counts = { roughCount: rough.count, polishCount: polish.count };
        sound.push({ id, payload: { model: payload.model, ...counts, spectra } });
      } catch (error) {
        checked.push(failure(id, error, findings));
      }
    }
    reply(checked);
    const results = await this.encode(sound, (sides, id): EncodedClaim => ({ sides, forShadow: kept.get(id) }));
    reply(
      results,
      [...kept.values()].map(({ buffer }) => buffer),
    );
  }

  /** The pool's owner asks for models that it had loaded. */
  private held(digest: string): PlacedModel {
    const model = this.placed.get(digest);
    if (!model) throw new Error(`model ${digest} is not loaded`);
    return model;
  }

  async read({ upload, model, shadow }: ClaimJob, findings: UploadFindings, goOn: () => void): Promise<PreparedUpload> {
    try {
      goOn();
      // The shadow model is not here: nothing is kept for it.
      const other = shadow === undefined ? undefined : this.placed.get(shadow)?.model;
      return await prepareUpload(upload, this.held(model).model, this.limits, findings, other, goOn);
    } finally {
      if (upload.kind === 'json') upload.body.fill(0);
      else for (const { data } of [...upload.rough, ...upload.polish]) data.fill(0);
    }
  }

  /** Vectors of spectra on the reference axis; jobs of one model are encoded together. */
  private async encode<T>(jobs: readonly Scored[], value: (sides: ScoredSides, id: number) => T): Promise<Result[]> {
    const results: Result[] = [];
    for (const digest of new Set(jobs.map(({ payload }) => payload.model))) {
      const batch = jobs.filter(({ payload }) => payload.model === digest);
      try {
        const encoded = await encodeJobs(
          this.held(digest),
          batch.map(({ payload }) => payload),
        );
        const sides = (i: number): ScoredSides => ({ ...encoded[i], model: digest, engine: this.engine });
        results.push(...batch.map(({ id }, i) => ({ id, value: value(sides(i), id) })));
      } catch (error) {
        results.push(...batch.map(({ id }) => failure(id, error)));
      }
    }
    return results;
  }
}
