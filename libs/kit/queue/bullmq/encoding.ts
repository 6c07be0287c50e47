/**
 * Jobs in a worker's hand, encoded a few scans at a time: those that wait together share the weights' way through the caches,
 * and one of hundreds of scans holds nobody else up. In turns by whose they are, a shadow model's when no other waits.
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

interface Part {
  placed: PlacedModel;
  /** scans x 671 */
  spectra: Float32Array;
  scans: number;
  side: SideSums;
  /** Present on a job's last part: both its sides, whose scans are all added then. */
  whole?: { rough: SideSums; polish: SideSums };
  /** Called with the vectors of `whole`. */
  done(sides: EncodedSides): void;
  fail(error: unknown): void;
}

export class Encoding {
  private readonly claims = new FairQueue<Part>(({ scans }) => scans);
  private readonly shadows = new FairQueue<Part>(({ scans }) => scans);
  private busy = false;

  /** @param batch most jobs encoded together */
  constructor(private readonly batch: number) {}

  /** A vector's bits do not depend on what it was encoded with. */
  encode({ by, placed, shadow, roughCount, polishCount, spectra }: EncodingJob): Promise<EncodedSides> {
    const line = shadow ? this.shadows : this.claims;
    const whole = { rough: emptySide(placed), polish: emptySide(placed) };
    const count = roughCount + polishCount;
    return new Promise((done, fail) => {
      for (let from = 0; from < count; ) {
        const rough = from < roughCount;
        const end = Math.min(from + SCANS_AT_ONCE, rough ? roughCount : count);
        const points = spectra.subarray(from * REFERENCE_POINTS, end * REFERENCE_POINTS);
        const side = rough ? whole.rough : whole.polish;
        const last = end === count ? whole : undefined;
        line.add(by, { placed, spectra: points, scans: end - from, side, whole: last, done, fail });
        from = end;
      }
      void this.work();
    });
  }

  private async work(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    // Before every turn: what came meanwhile is heard, and what came in the same read shares a turn.
    await setImmediate();
    for (let parts = this.next(); parts.length > 0; parts = this.next()) {
      try {
        await encodeParts(parts);
      } catch (error) {
        for (const { fail } of parts) fail(error);
      }
      await setImmediate();
    }
    this.busy = false;
  }

  /** Parts of jobs of one model. */
  private next(): Part[] {
    const line = this.claims.size > 0 ? this.claims : this.shadows;
    const parts: Part[] = [];
    let room = SCANS_AT_ONCE;
    while (parts.length < this.batch) {
      const part = line.take(({ placed, scans }) => scans <= room && placed === (parts[0]?.placed ?? placed));
      if (!part) break;
      parts.push(part);
      room -= part.scans;
    }
    return parts;
  }
}

async function encodeParts(parts: Part[]): Promise<void> {
  const total = parts.reduce((sum, { scans }) => sum + scans, 0);
  const spectra = new Float32Array(total * REFERENCE_POINTS);
  let at = 0;
  for (const part of parts) {
    spectra.set(part.spectra, at);
    at += part.spectra.length;
    part.spectra.fill(0);
  }
  const [{ placed }] = parts;
  await addScans(placed, spectra, parts).finally(() => spectra.fill(0));
  const ended = parts.flatMap(({ whole, done }) => (whole ? [{ ...whole, done }] : []));
  const vectors = await vectorsOf(
    placed,
    ended.flatMap(({ rough, polish }) => [rough, polish]),
  );
  for (const [i, { done }] of ended.entries()) done({ rough: vectors[2 * i], polish: vectors[2 * i + 1] });
}
