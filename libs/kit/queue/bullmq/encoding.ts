/**
 * Jobs in a worker's hand, encoded a few scans at a time: those that wait together share the weights' way through the caches,
 * and one of hundreds of scans holds nobody else up. In turns by whose they are, a shadow model's when no other waits.
 */
import { setImmediate } from 'node:timers/promises';
import { FairQueue } from '#kit/admission/fair-queue';
import { encodeScans, type PlacedModel } from '#science/matching/encoder';
import { VECTOR } from '#science/matching/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { type EncodedSides, sidesOf } from '../encode.js';

/** 3 ms of a core. */
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
  /** One table an encoder: the vectors of these scans. */
  done(tables: Float32Array[]): void;
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
    const count = roughCount + polishCount;
    const vectors = placed.encoders.map(() => new Float32Array(count * VECTOR));
    let left = count;
    return new Promise((resolve, fail) => {
      for (let from = 0; from < count; from += SCANS_AT_ONCE) {
        const scans = Math.min(SCANS_AT_ONCE, count - from);
        const done = (tables: Float32Array[]) => {
          for (const [e, table] of tables.entries()) vectors[e].set(table, from * VECTOR);
          left -= scans;
          if (left === 0) resolve(sidesOf(vectors, { roughCount, polishCount }));
        };
        const points = spectra.subarray(from * REFERENCE_POINTS, (from + scans) * REFERENCE_POINTS);
        line.add(by, { placed, spectra: points, scans, done, fail });
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
  const tables = await encodeScans(parts[0].placed, spectra, total).finally(() => spectra.fill(0));
  let row = 0;
  for (const { scans, done } of parts) {
    done(tables.map((vectors) => vectors.subarray(row * VECTOR, (row + scans) * VECTOR)));
    row += scans;
  }
}
