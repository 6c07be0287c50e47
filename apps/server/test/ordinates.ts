/** Looks for submitted ordinates in bytes: as float64, as float32, as decimal text, and each of them within base64. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINS_A_UNIT } from '#science/calibration/pair-scores';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import type { Side } from '#science/spectra/refusal';
import { prepareSide } from '#science/spectra/scan-set';
import { ascending, type SimulatedScan } from '#simulator';

/** Digits by which a decimal is recognised: enough that no other number of a log has them by chance. */
const DIGITS = 12;
const BASE64 = /[A-Za-z0-9+/]{64,}={0,2}/g;
const DECIMAL = /\d*\.\d{8,}(?:e-?\d+)?/gi;

const leadingDigits = (decimal: string) =>
  Math.abs(Number(decimal)).toExponential(20).replace('.', '').slice(0, DIGITS);

/** Of four bytes, as a place among `begins`. */
const PLACES = 1 << 22;
const placeOf = (word: number) => Math.imul(word, 0x9e3779b1) >>> 10;

export class Ordinates {
  /** 1 at the places of what begins an ordinate: few other bytes are looked up. */
  private readonly begins = new Uint8Array(PLACES);
  private readonly doubles = new Map<number, Set<number>>();
  private readonly singles = new Map<number, Set<number>>();
  private readonly decimals = new Set<string>();

  get size(): number {
    return this.decimals.size;
  }

  /** One scan. A float32 is found together with its neighbour: four bytes alone turn up by chance. So is a widened float32. */
  add(absorbance: ArrayLike<number>): void {
    const values = Float64Array.from(absorbance);
    const doubles = Buffer.from(values.buffer);
    const singles = Buffer.from(Float32Array.from(values).buffer);
    for (let at = 0; at < doubles.length; at += 8) this.remember(this.doubles, doubles, at);
    for (let at = 0; at + 8 <= singles.length; at += 4) this.remember(this.singles, singles, at);
    // Scores of pairs are told by their bins: an ordinate that is one of these numbers, as of some hundred one is, proves nothing.
    for (const value of values)
      if (!Number.isInteger(value * BINS_A_UNIT)) this.decimals.add(leadingDigits(String(value)));
  }

  /** A side's scans as they are sent, and what they are interpolated to. */
  addSide(side: Side, scans: SimulatedScan[]): void {
    for (const { absorbance } of scans) this.add(absorbance);
    const { count, spectra } = prepareSide({ side, scans: scans.map(ascending), references: [] });
    for (let i = 0; i < count; i++) this.add(spectra.subarray(i * REFERENCE_POINTS, (i + 1) * REFERENCE_POINTS));
  }

  /** The ordinates found in the bytes, in words; undefined if there are none. */
  findIn(bytes: Buffer): string | undefined {
    const text = bytes.toString('latin1');
    const binary = this.findBinary(bytes);
    if (binary) return binary;
    for (const [decimal] of text.matchAll(DECIMAL)) {
      if (this.decimals.has(leadingDigits(decimal))) return `decimal text ${decimal}`;
    }
    for (const [run] of text.matchAll(BASE64)) {
      for (let shift = 0; shift < 4; shift++) {
        const found = this.findBinary(Buffer.from(run.slice(shift), 'base64'));
        if (found) return `${found} in base64`;
      }
    }
    return undefined;
  }

  private remember(pairs: Map<number, Set<number>>, bytes: Buffer, at: number): void {
    const [first, second] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    // Zeros, as in empty pages, say nothing.
    if (first === 0 && second === 0) return;
    this.begins[placeOf(first)] = 1;
    const seconds = pairs.get(first);
    if (seconds) seconds.add(second);
    else pairs.set(first, new Set([second]));
  }

  private findBinary(bytes: Buffer): string | undefined {
    for (let at = 0; at + 8 <= bytes.length; at++) {
      const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
      if (this.begins[placeOf(word)] === 0) continue;
      const [first, second] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      if (this.isDouble(bytes, at) && (first !== 0 || this.isDouble(bytes, at - 8) || this.isDouble(bytes, at + 8)))
        return `float64 ${bytes.readDoubleLE(at)} at byte ${at}`;
      if (this.singles.get(first)?.has(second)) return `float32 ${bytes.readFloatLE(at)} at byte ${at}`;
    }
    return undefined;
  }

  private isDouble(bytes: Buffer, at: number): boolean {
    if (at < 0 || at + 8 > bytes.length) return false;
    return this.doubles.get(bytes.readUInt32LE(at))?.has(bytes.readUInt32LE(at + 4)) ?? false;
  }

  /** Every finding in the files under a folder, named by file. */
  findUnder(folder: string): string[] {
    return filesUnder(folder).flatMap((file) => {
      const bytes = bytesOf(file);
      const found = bytes && this.findIn(bytes);
      return found ? [`${file}: ${found}`] : [];
    });
  }
}

export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Nothing of a file that was renamed since it was listed: it is read under its new name. */
function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
