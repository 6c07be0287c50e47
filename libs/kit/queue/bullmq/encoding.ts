/**
 * Jobs in a worker's hand, encoded a few scans at a time: those that wait together share the weights' way through the caches,
 * and one of hundreds of scans does not hold up the others. In turns by whose they are, a shadow model's when no other waits.
 */
import { setImmediate } from 'node:timers/promises';
import { FairQueue } from '#kit/admission/fair-queue';
import { addScans, emptySide, type PlacedModel, type SideSums, vectorsOf } from '#science/matching/encoder';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import type { EncodedSides } from '../encode.js';

/** 3 ms of a core at most. */
const SCANS_AT_ONCE = 32;

export interface EncodingJob {
  /** The caller. */
  by: string;
  placed: PlacedModel;
  shadow: boolean;
  roughCount: number;
  polishCount: number;
  /** Zeroed as it is encoded. */
  spectra: Float32Array;
}

/** A job under way. */
interface Running extends EncodingJob {
  rough: SideSums;
  polish: SideSums;
  /** Scans that are encoded, rough ones first. */
  encoded: number;
  done(sides: EncodedSides): void;
  fail(error: unknown): void;
}

const scansOf = ({ roughCount, polishCount }: Running) => roughCount + polishCount;
/** Scans that the next turn takes of a job. */
const nextScans = (job: Running) => Math.min(SCANS_AT_ONCE, scansOf(job) - job.encoded);

export class Encoding {
  private readonly claims = new FairQueue<Running>(nextScans);
  private readonly shadows = new FairQueue<Running>(nextScans);
  private busy = false;

  /** @param batch most jobs encoded together */
  constructor(private readonly batch: number) {}

  /** A vector's bits do not depend on what it was encoded with. */
  encode(job: EncodingJob): Promise<EncodedSides> {
    const line = job.shadow ? this.shadows : this.claims;
    return new Promise((done, fail) => {
      const [rough, polish] = [emptySide(job.placed), emptySide(job.placed)];
      line.add(job.by, { ...job, rough, polish, encoded: 0, done, fail });
      void this.work();
    });
  }

  private async work(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    // Before every turn: what came meanwhile is heard, and what came in the same read shares a turn.
    await setImmediate();
    for (let jobs = this.next(); jobs.length > 0; jobs = this.next()) {
      try {
        await encodeNext(jobs);
        for (const job of jobs)
          if (job.encoded < scansOf(job)) (job.shadow ? this.shadows : this.claims).add(job.by, job, true);
      } catch (error) {
        for (const { fail } of jobs) fail(error);
      }
      await setImmediate();
    }
    this.busy = false;
  }

  /** Jobs of one model for a turn. */
  private next(): Running[] {
    const line = this.claims.size > 0 ? this.claims : this.shadows;
    const jobs: Running[] = [];
    let room = SCANS_AT_ONCE;
    while (jobs.length < this.batch) {
      const job = line.take((one) => nextScans(one) <= room && one.placed === (jobs[0]?.placed ?? one.placed));
      if (!job) break;
      jobs.push(job);
      room -= nextScans(job);
    }
    return jobs;
  }
}

/** Encodes the next scans of each job; those whose scans have all been have their vectors then. */
async function encodeNext(jobs: Running[]): Promise<void> {
  const [{ placed }] = jobs;
  const total = jobs.reduce((sum, job) => sum + nextScans(job), 0);
  const spectra = new Float32Array(total * REFERENCE_POINTS);
  const parts: { side: SideSums; scans: number }[] = [];
  let at = 0;
  for (const job of jobs) {
    const from = job.encoded;
    const scans = nextScans(job);
    const taken = job.spectra.subarray(from * REFERENCE_POINTS, (from + scans) * REFERENCE_POINTS);
    spectra.set(taken, at);
    at += taken.length;
    taken.fill(0);
    const rough = Math.max(0, Math.min(job.roughCount - from, scans));
    parts.push({ side: job.rough, scans: rough }, { side: job.polish, scans: scans - rough });
    job.encoded += scans;
  }
  await addScans(placed, spectra, parts).finally(() => spectra.fill(0));
  const whole = jobs.filter((job) => job.encoded === scansOf(job));
  const vectors = await vectorsOf(
    placed,
    whole.flatMap(({ rough, polish }) => [rough, polish]),
  );
  for (const [i, { done }] of whole.entries()) done({ rough: vectors[2 * i], polish: vectors[2 * i + 1] });
}
