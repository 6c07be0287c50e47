/** The canonical form of a scorer: a line of JSON, then float32 values, least significant byte first. */
import { floatsOf, littleEndian } from '#science/numerics/little-endian';
import { Refusal } from '#science/spectra/refusal';
import { VECTOR_LENGTH } from '../evidence.js';
import type { Isotonic } from '../isotonic.js';
import type { ClaimBank } from './bank.js';
import type { ScorerParts } from './core.js';
import { curveFault, ladderFault, type ScorerRung } from './ladders.js';
import type { ScorerMap } from './map.js';
import { BANK_CLAIMS, isMeanAlone, LEFT_OUT, leastGroups, SCORER_METHODS, type ScorerMethod } from './method.js';
import { atOnce, type Steps } from './steps.js';

/** All of a scorer but its numbers' tables. */
export interface ScorerHeader {
  method: ScorerMethod;
  population: string;
  model: string;
  encoders: string[];
  /** Counted claims of the population when it was fitted, and the digest over them. */
  claims: number;
  evidence_digest: string;
  /** By claim of the bank: its group, and its weight in the map without any fold left out; 0 where it was trimmed. */
  groups: number[];
  weights: number[];
  /** By map, by encoder: its directions. */
  directions: number[][];
  ladder: { groups: number; population: string; rungs: ScorerRung[] };
  curve: Isotonic & { from: 'own' | 'shipped' };
}

const MAGIC = Buffer.from('MVS scorer 1\n\0\0\0');
const MOST_HEADER = 4 << 20;

export function scorerBytes(header: ScorerHeader, { bank, maps }: ScorerParts): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, ' ')]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(padded.length);
  const tables = [
    ...maps.flatMap((map) => map.flatMap(({ rough, polish, rows }) => [rough, polish, rows])),
    bank.rough,
    bank.polish,
  ];
  return new Uint8Array(Buffer.concat([MAGIC, length, padded, ...tables.map(littleEndian)]));
}

/** True if the bytes begin as a scorer's do. */
export const isScorer = (bytes: Uint8Array): boolean => MAGIC.equals(bytes.subarray(0, MAGIC.length));

/** @throws Refusal of kind `asset` for anything that is no scorer */
export const readScorer = (bytes: Uint8Array): ReadScorer => atOnce(readInSteps(bytes));

export interface ReadScorer {
  header: ScorerHeader;
  parts: ScorerParts;
}

/** `readScorer` in steps. */
export function* readInSteps(bytes: Uint8Array): Steps<ReadScorer> {
  const refuse = (why: string): never => {
    throw new Refusal('asset', { reason: `the scorer ${why}`, fix: 'contact the operator, do not retry' });
  };
  const start = MAGIC.length + 4;
  if (bytes.length < start || !isScorer(bytes)) return refuse('is no scorer');
  const length = Buffer.from(bytes.buffer, bytes.byteOffset + MAGIC.length, 4).readUInt32LE();
  if (length > MOST_HEADER || length % 4 !== 0 || start + length > bytes.length) return refuse('is cut short');
  let header: ScorerHeader;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(start, start + length)));
  } catch {
    return refuse('has a header that is no JSON');
  }
  const fault = headerFault(header);
  if (fault) return refuse(fault);
  const { encoders, groups, directions } = header;
  const side = groups.length * encoders.length * VECTOR_LENGTH;
  const values = directions.flat().reduce((sum, count) => sum + (count + 2) * VECTOR_LENGTH, 0) + 2 * side;
  if (bytes.length !== start + length + 4 * values) return refuse('has tables of another size than its header says');
  const floats = floatsOf(bytes.subarray(start + length));
  yield;
  if (!areFinite(floats)) return refuse('holds a value that is no number');
  yield;
  let at = 0;
  const take = (count: number) => {
    at += count;
    return floats.subarray(at - count, at);
  };
  const maps = directions.map(
    (counts): ScorerMap =>
      counts.map((count) => ({
        rough: take(VECTOR_LENGTH),
        polish: take(VECTOR_LENGTH),
        rows: take(count * VECTOR_LENGTH),
      })),
  );
  const bank: ClaimBank = { claims: groups.length, encoders: encoders.length, rough: take(side), polish: take(side) };
  if (!unit(bank.rough) || !unit(bank.polish)) return refuse('holds a vector that is not of length one');
  return { header, parts: { method: header.method, bank, groups: Int32Array.from(groups), maps } };
}

function headerFault(header: Partial<ScorerHeader> | null): string | undefined {
  if (typeof header !== 'object' || header === null) return 'has no header';
  const { method, population, model, encoders, claims, evidence_digest, groups, weights, directions, ladder, curve } =
    header;
  if (!SCORER_METHODS.includes(method!)) return `is of no method of ${SCORER_METHODS.join(', ')}`;
  const texts = [population, model, evidence_digest, ladder?.population];
  if (texts.some((text) => typeof text !== 'string')) return 'does not say what it is of';
  if (!Array.isArray(encoders) || encoders.length < 1 || encoders.length > 8 || !encoders.every(isText))
    return 'does not name its encoders';
  if (!Array.isArray(groups) || groups.length > BANK_CLAIMS || !Number.isSafeInteger(claims) || claims! < groups.length)
    return 'has no bank, or too large a one';
  let count = 0;
  for (const group of groups) {
    if (!Number.isSafeInteger(group) || group < 0 || group > count) return 'has groups that are not numbered in order';
    if (group === count) count++;
  }
  const least = leastGroups(method!);
  if (count < least) return `has fewer than ${least} groups`;
  if (!Array.isArray(weights) || weights.length !== groups.length || !weights.every((one) => one >= 0 && one <= 1))
    return 'has weights that are none';
  const isCount = (value: unknown) =>
    isMeanAlone(method!, count)
      ? value === 0
      : Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= VECTOR_LENGTH;
  if (
    !Array.isArray(directions) ||
    directions.length !== LEFT_OUT.length ||
    !directions.every((map) => Array.isArray(map) && map.length === encoders.length && map.every(isCount))
  )
    return 'has no map, or one without directions';
  const fault = ladderFault(ladder?.rungs) ?? curveFault(curve);
  if (fault) return `${fault.replace(/^have/, 'has')}`;
  if (!Number.isSafeInteger(ladder?.groups)) return 'does not say what its ladder rests on';
  if (curve?.from !== 'own' && curve?.from !== 'shipped') return 'does not say where its probability curve comes from';
  return undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0;

/** A loop, because a call for each of some millions takes a tenth of a second. */
function areFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}

function unit(table: Float32Array): boolean {
  for (let from = 0; from < table.length; from += VECTOR_LENGTH) {
    let squares = 0;
    for (let i = from; i < from + VECTOR_LENGTH; i++) squares += table[i] * table[i];
    if (Math.abs(squares - 1) > 1e-4) return false;
  }
  return true;
}
