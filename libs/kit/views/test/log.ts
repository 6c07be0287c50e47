/** Logs for the tests of views: events as the service writes them, with stones whose vectors are as near as wished. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProposalFacts } from '#calibration/events';
import type { CataloguedEvent } from '#catalogue/catalogue';
import type { ClaimResult, SideFacts } from '#claims/events';
import { streams } from '#domain/streams';
import { encodeVector } from '#domain/vectors';
import { type KeyFacts, WITHOUT_END } from '#keys/events';
import type { RecordedEvent } from '#kit/log/port';
import { VECTOR_LENGTH } from '#science/calibration/evidence';
import type { ActionReason } from '#science/matching/action';
import { uniform } from '#science/numerics/random';
import type { Projection } from '../projection.js';
import { ViewFile } from '../view-file.js';

export const MODEL = 'a'.repeat(64);

export const keyOf = (name: string, more: Partial<KeyFacts> = {}): KeyFacts => ({
  id: Buffer.from(name).toString('hex').padEnd(16, '0').slice(0, 16),
  name,
  kind: 'production',
  population: name,
  ...more,
});

/** The facts behind an approval. */
export const proposalOf = (more: Partial<ProposalFacts> = {}): ProposalFacts => ({
  ...{ digest: 'd'.repeat(64), evidence_digest: 'e'.repeat(64), method: 'cross-pairs/1', model: MODEL },
  ...{ position: '1', decisions: 0, claims: 80, roughs: 80, polishes: 80, pairs: 6320, threshold: 0.7 },
  ...{ interval: [0.69, 0.71], wrong_per_1000: 20, expected_genuine_accept: null, expected_genuine_accept_error: null },
  expected_genuine_accept_reason: 'too few claims',
  ...more,
});

/** A scan set of a stone: another `session` is another digest with a vector `angle` radians away. */
export interface TestSet {
  stone: string;
  session?: number;
  angle?: number;
  reference?: string;
  /** Instead of the made-up ones. */
  vectors?: Record<string, string>;
  facts?: Partial<SideFacts>;
}

export interface TestClaim {
  key?: KeyFacts;
  rough: TestSet;
  polish: TestSet;
  verdict?: 'MATCH' | 'NO_MATCH';
  rung?: number;
  at?: string;
  model?: string;
  /** Left unfinished. */
  unscored?: boolean;
  /** Its vectors are in streams of their own, as in logs of before. */
  apart?: boolean;
  result?: Partial<ClaimResult>;
  shared_scans?: number;
  action_reasons?: ActionReason[];
}

function numbers(name: string, length: number): Float64Array {
  let state = 2166136261;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 16777619);
  const next = uniform(state);
  const values = Float64Array.from({ length }, () => next() - 0.5);
  const size = Math.hypot(...values);
  return values.map((value) => value / size);
}

function vectorsOf(name: string, { session = 0, angle = 0 }: TestSet): Record<string, string> {
  return Object.fromEntries(
    ['one', 'two'].map((encoder) => {
      const a = numbers(`${name} ${encoder}`, VECTOR_LENGTH);
      const b = numbers(`${name} ${encoder} ${session}`, VECTOR_LENGTH);
      const along = a.reduce((sum, value, i) => sum + value * b[i], 0);
      const across = b.map((value, i) => value - along * a[i]);
      const size = Math.hypot(...across);
      const turned = a.map((value, i) => Math.cos(angle) * value + (Math.sin(angle) * across[i]) / size);
      return [encoder, encodeVector(Float32Array.from(turned))];
    }),
  );
}

const digestOf = (name: string, { session = 0 }: TestSet) =>
  Buffer.from(`${name} ${session}`).toString('hex').padEnd(64, '0').slice(-64);

export class TestLog {
  readonly events: RecordedEvent[] = [];
  private readonly revisions = new Map<string, bigint>();
  private claims = 0;
  /** Time of the next event; each one is a second later. */
  clock = Date.parse('2026-11-01T00:00:00.000Z');

  append(stream: string, event: CataloguedEvent | { type: string; version: number; data: object }): RecordedEvent {
    const recorded: RecordedEvent = {
      id: `019aa0b0-0000-7000-8000-${String(this.events.length).padStart(12, '0')}`,
      type: event.type,
      version: event.version,
      data: JSON.parse(JSON.stringify(event.data)),
      stream,
      revision: this.revisions.get(stream) ?? 0n,
      position: BigInt(10 * (this.events.length + 1)),
      recordedAt: new Date(this.clock),
    };
    this.revisions.set(stream, recorded.revision + 1n);
    this.clock += 1000;
    this.events.push(recorded);
    return recorded;
  }

  now(): string {
    return new Date(this.clock).toISOString();
  }

  createKey(key: KeyFacts): void {
    const data = { key, secret_sha256: 'f'.repeat(64), life: WITHOUT_END, operator: 'ada', at: this.now() };
    this.append(streams.key(key.id), { type: 'KeyCreated', version: 2, data });
    this.known.add(key.id);
  }
  private readonly known = new Set<string>();

  /** Submits and scores a claim as the service does. */
  claim(claim: TestClaim): string {
    const { key = keyOf('lab-a'), verdict = 'NO_MATCH', rung = 0.98, model = MODEL } = claim;
    if (!this.known.has(key.id)) this.createKey(key);
    const claim_id = `clm_${String(++this.claims).padStart(32, '0')}`;
    const request_id = `request-${this.claims}`;
    const sides = { rough: claim.rough, polish: claim.polish };
    const facts = (side: 'rough' | 'polish'): SideFacts => ({
      digest: digestOf(`${side} ${sides[side].stone}`, sides[side]),
      scans: side === 'rough' ? 6 : 1,
      duplicates: 0,
      short_coverage: false,
      references: sides[side].reference === undefined ? [] : [sides[side].reference],
      sharpness: 0.05,
      detail_residual: 0.1,
      detail_residual_measured: 0.1,
      locally_polynomial: 0.2,
      ...sides[side].facts,
    });
    const rough = facts('rough');
    const polish = facts('polish');
    const stream = streams.claim(key.id, claim_id);
    const at = claim.at ?? this.now();
    this.append(stream, {
      type: 'ClaimSubmitted',
      version: 2,
      data: {
        claim_id,
        request_id,
        key,
        transport: 'json',
        reject_target: rung,
        model,
        ladder_revision: 'shipped',
        ladder_digest: 'd'.repeat(64),
        rough,
        polish,
        shared_scans: claim.shared_scans ?? 0,
        at,
      },
    });
    if (claim.unscored) return claim_id;
    for (const [side, { digest, scans, references }] of Object.entries({ rough, polish }) as ['rough', SideFacts][]) {
      const vectors = sides[side].vectors ?? vectorsOf(`${side} ${sides[side].stone} ${model}`, sides[side]);
      const data = {
        population: key.population,
        model,
        digest,
        side,
        scans,
        references,
        vectors,
        by: 'claim' as const,
        claim_id,
        at,
      };
      const home = claim.apart ? streams.bank(key.population, model, digest) : stream;
      this.append(home, { type: 'ScanSetBanked', version: 1, data });
    }
    const score = verdict === 'MATCH' ? 0.85 : 0.2;
    const result: ClaimResult = {
      mode: 'verify-match',
      verdict,
      fused_score: score,
      scorer: 'raw',
      member_scores: { one: score },
      member_cosines: { one: score },
      threshold: 0.7,
      threshold_source: 'shipped-default',
      reject_target: rung,
      expected_genuine_accept: 0.9,
      p_match_5050: verdict === 'MATCH' ? 0.95 : 0.02,
      n_rough_scans: rough.scans,
      n_polish_scans: polish.scans,
      rough_sharpness: rough.sharpness,
      polish_sharpness: polish.sharpness,
      rough_detail_residual: rough.detail_residual,
      polish_detail_residual: polish.detail_residual,
      warnings: [],
      scope: 'test',
      claim_id,
      ...claim.result,
    };
    const latency_ms = { body: 1, prepare: 2, score: 3 };
    this.append(stream, {
      type: 'ClaimScored',
      version: 2,
      data: {
        ...{ claim_id, request_id, result, action_reasons: claim.action_reasons ?? null },
        ...{ engine: 'simd', latency_ms, at: claim.at ?? this.now() },
      },
    });
    return claim_id;
  }

  label(claim_id: string, expected: 'match' | 'no_match', verdict: 'MATCH' | 'NO_MATCH', key = keyOf('lab-a')): void {
    const label = { expected, request_id: 'labels', at: this.now() };
    const agrees = (expected === 'match') === (verdict === 'MATCH');
    this.append(streams.labels(key.id), {
      type: 'ClaimLabelled',
      version: 1,
      data: { claim_id, verdict, agrees, label },
    });
  }
}

const opened: { file: ViewFile; directory: string }[] = [];

/** A view of these events. `batch`: events a transaction; `reopened`: after so many its file was closed and opened. */
export function viewOf(projection: Projection, events: readonly RecordedEvent[], batch = 1000, reopened = 0): ViewFile {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-view-'));
  let file = new ViewFile(projection, directory);
  const one = { file, directory };
  opened.push(one);
  events.forEach((event, i) => {
    if (reopened > 0 && i === reopened) {
      file.close();
      one.file = file = new ViewFile(projection, directory);
    }
    file.take(event);
    if (i % batch === batch - 1) file.commit();
  });
  file.finish();
  return file;
}

export function closeViews(): void {
  for (const { file, directory } of opened.splice(0)) {
    file.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Every row of every table, to compare two views. */
export function dump({ db }: ViewFile): unknown {
  const tables = db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1",
  );
  return (tables.raw().all() as [string][]).map(([name]) => {
    const rows = db.prepare(`SELECT * FROM ${name}`).raw().all() as unknown[][];
    return [name, rows.map((row) => JSON.stringify(row)).sort()];
  });
}
