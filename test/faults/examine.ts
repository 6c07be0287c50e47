/**
 * Checks after faults: everything acknowledged is stored, once, as it was answered; all replicas show the same claims and
 * every finding once; their views are equal to a rebuild from the log; no spectrum is anywhere.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { LOT_LISTINGS, PROJECTIONS } from '#catalogue/projections';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import type { ClaimScored, ClaimSubmitted } from '#claims/events';
import { FINDINGS } from '#domain/shapes';
import { streamPrefixes } from '#domain/streams';
import type { Finding } from '#findings/events';
import type { FindingRecord } from '#findings/queries-shapes';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import type { EventReader } from '#kit/log/port';
import type { Ordinates } from '../../apps/server/test/ordinates.js';
import { LOG_SECRET } from '../eventstoredb/double.js';
import type { Production } from './production.js';

export interface Answer {
  claim_id: string;
  verdict: string;
  fused_score: number;
}

/** A scored claim as the log holds it. */
interface Stored extends Answer {
  /** Name of the key. */
  key: string;
  rough: string;
  polish: string;
}

export interface Examined {
  /** Everything that should not be. */
  broken: string[];
  /** Number of findings of each kind that were due, and that were found; equal where nothing is broken. */
  findings: Record<Finding, number>;
}

/** @param key name of the key that sent the claims; @param ordinates everything that was sent */
export async function examine(
  production: Production,
  key: string,
  acknowledged: Answer[],
  ordinates: Ordinates,
): Promise<Examined> {
  // A cluster may still be electing; what is examined can wait.
  const store = openEventStoreDB({
    secrets: [LOG_SECRET],
    connectionString: production.eventStoreUrl,
    upcast,
    awayWithinMs: 60_000,
    answerWithinMs: 60_000,
  });
  try {
    const broken: string[] = [];
    const stored = await readClaims(store, broken);
    for (const { claim_id, verdict, fused_score } of acknowledged) {
      const found = stored.get(claim_id);
      if (!found) broken.push(`${claim_id} was acknowledged and is not stored`);
      else if (found.verdict !== verdict || found.fused_score !== fused_score)
        broken.push(`${claim_id} is stored otherwise`);
    }
    const shown = await Promise.all(
      production.forOperators.map(async (api) => ({
        claims: await everything<{ status: string }>(`${api}/api/v1/claims`, production.operator),
        findings: await everything<FindingRecord>(`${api}/api/v1/findings`, production.operator),
      })),
    );
    if (shown.some((one) => JSON.stringify(one) !== JSON.stringify(shown[0])))
      broken.push('the replicas show different views');
    const scored = shown[0].claims.filter(({ status }) => status === 'scored').length;
    if (scored !== stored.size) broken.push(`the ledger shows ${scored} scored claims, the log holds ${stored.size}`);
    const claims = [...stored.values()].filter((claim) => claim.key === key);
    const found = shown[0].findings.filter((finding) => finding.key.name === key);
    const findings = {} as Record<Finding, number>;
    for (const kind of FINDINGS) {
      const compared = compareFindings(kind, found, claims);
      findings[kind] = compared.due;
      broken.push(...compared.broken);
    }
    broken.push(...(await otherThanRebuilt(production, store)));
    broken.push(...(await spectraIn(production, ordinates)));
    return { broken, findings };
  } finally {
    await store.close();
  }
}

async function readClaims(store: EventReader, broken: string[]): Promise<Map<string, Stored>> {
  const submitted = new Map<string, ClaimSubmitted['data']>();
  const stored = new Map<string, Stored>();
  for await (const { type, data } of store.readAll({ streamPrefixes: [streamPrefixes.claims] })) {
    if (type === 'ClaimSubmitted') {
      const submission = data as unknown as ClaimSubmitted['data'];
      submitted.set(submission.claim_id, submission);
    }
    if (type !== 'ClaimScored') continue;
    const { claim_id, verdict, fused_score } = (data as unknown as ClaimScored['data']).result;
    if (stored.has(claim_id)) broken.push(`${claim_id} is scored twice`);
    const { key, rough, polish } = submitted.get(claim_id)!;
    const [roughName, polishName] = [rough.references[0], polish.references[0]];
    stored.set(claim_id, { claim_id, verdict, fused_score, key: key.name, rough: roughName, polish: polishName });
  }
  return stored;
}

/**
 * By the stones' references: a polish that was claimed for two roughs or more is one `probing` with all its claims, one
 * that was confirmed for two or more one `multi_pass` with the confirmed ones.
 */
function compareFindings(kind: Finding, findings: FindingRecord[], claims: Stored[]) {
  const counting = kind === 'probing' ? claims : claims.filter(({ verdict }) => verdict === 'MATCH');
  const broken: string[] = [];
  let due = 0;
  for (const polish of new Set(claims.map((claim) => claim.polish))) {
    const behind = counting.filter((claim) => claim.polish === polish);
    const expected = new Set(behind.map(({ rough }) => rough)).size > 1 ? 1 : 0;
    due += expected;
    const found = findings.filter((finding) => finding.kind === kind && finding.polish.references.includes(polish));
    if (found.length !== expected) broken.push(`${found.length} findings of ${kind} for ${polish}, not ${expected}`);
    else if (expected && found[0].claims_total !== behind.length)
      broken.push(`${kind} of ${polish} shows ${found[0].claims_total} claims, the log holds ${behind.length}`);
  }
  return { due, broken };
}

/** Every row of every view of all replicas, which are killed for it. */
async function otherThanRebuilt(production: Production, reader: EventReader): Promise<string[]> {
  const broken: string[] = [];
  // Views commit several times a second.
  await sleep(1000);
  for (const [i] of production.apis.entries()) await production.kill(`api ${i + 1}`);
  const workshop = mkdtempSync(join(tmpdir(), 'mvs-rebuilt-'));
  for (const [i] of production.apis.entries()) {
    const directory = join(production.directory, `api-${i + 1}`, 'views');
    const { projections } = production.roles[i] === 'claims' ? LOT_LISTINGS : { projections: PROJECTIONS };
    for (const projection of projections) {
      const kept = openView(directory, projection);
      if (!kept) {
        broken.push(`api ${i + 1} keeps no view ${projection.name}`);
        continue;
      }
      await rebuildViews({ reader, projections: [projection], directory: workshop, until: kept.position });
      const rebuilt = openView(workshop, projection)!;
      if (digestOf(kept) !== digestOf(rebuilt)) broken.push(`api ${i + 1}: ${projection.name} differs from a rebuild`);
      kept.close();
      rebuilt.close();
    }
  }
  rmSync(workshop, { recursive: true });
  return broken;
}

function digestOf(view: Parameters<typeof dumpView>[0]): string {
  const hash = createHash('sha256');
  for (const row of dumpView(view)) hash.update(row).update('\n');
  return hash.digest('hex');
}

/** Every file of every piece, and every value in Redis. */
async function spectraIn({ directory, redis }: Production, ordinates: Ordinates): Promise<string[]> {
  const broken = [directory, redis.directory].flatMap((folder) => ordinates.findUnder(folder));
  const client = new Redis(redis.url);
  // A key whose api was killed ends by its own time to live; one that has none is found below.
  const left = await Promise.all((await client.keys('*:spectra:*')).map((name) => client.pttl(name)));
  if (left.length > 0) await sleep(Math.max(0, ...left) + 100);
  for (const name of await client.keys('*')) {
    if (name.includes(':spectra:')) broken.push(`${name} is left in Redis`);
    const dump = await client.dumpBuffer(name);
    const found = dump && ordinates.findIn(dump);
    if (found) broken.push(`${name} in Redis: ${found}`);
  }
  await client.quit();
  return broken;
}

async function everything<T>(url: string, headers: Record<string, string>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${url}?limit=1000${query}`, { headers });
    const page = (await answer.json()) as { items: T[]; next_cursor: string | null };
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}
