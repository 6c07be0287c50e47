/**
 * What must be true after faults: what was acknowledged is stored, once, as it was told; both replicas show the same
 * claims and every finding once; their views are what a rebuild makes of the log; no spectrum is anywhere.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type ClaimScored, type ClaimSubmitted, streamPrefixes, upcast } from '#domain';
import { type EventReader, openEventStoreDB } from '#event-store';
import { dumpView, type FindingRecord, openView, PROJECTIONS, rebuildViews } from '#views';
import type { Production } from './production.js';

export interface Answer {
  claim_id: string;
  verdict: string;
  fused_score: number;
}

/** A scored claim as the log holds it. */
interface Stored extends Answer {
  rough: string;
  polish: string;
}

/** @returns everything that should not be */
export async function examine(production: Production, acknowledged: Answer[], ordinates: string[]): Promise<string[]> {
  const store = openEventStoreDB({ connectionString: production.eventStoreUrl, upcast });
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
      production.apis.map(async (api) => ({
        claims: await everything<{ status: string }>(`${api}/api/v1/claims`, production.operator),
        findings: await everything<FindingRecord>(`${api}/api/v1/findings`, production.operator),
      })),
    );
    if (JSON.stringify(shown[0]) !== JSON.stringify(shown[1])) broken.push('the replicas show different views');
    const scored = shown[0].claims.filter(({ status }) => status === 'scored').length;
    if (scored !== stored.size) broken.push(`the ledger shows ${scored} scored claims, the log holds ${stored.size}`);
    broken.push(...wrongFindings(shown[0].findings, [...stored.values()]));
    broken.push(...(await otherThanRebuilt(production, store)));
    broken.push(...(await spectraIn(production, ordinates)));
    return broken;
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
    const { rough, polish } = submitted.get(claim_id)!;
    stored.set(claim_id, { claim_id, verdict, fused_score, rough: rough.references[0], polish: polish.references[0] });
  }
  return stored;
}

/** By the stones' references: a polish claimed against two roughs or more is one `probing` with all its claims. */
function wrongFindings(findings: FindingRecord[], claims: Stored[]): string[] {
  const broken: string[] = [];
  for (const polish of new Set(claims.map((claim) => claim.polish))) {
    const behind = claims.filter((claim) => claim.polish === polish);
    const roughs = new Set(behind.map(({ rough }) => rough)).size;
    const found = findings.filter(
      (finding) => finding.kind === 'probing' && finding.polish.references.includes(polish),
    );
    const due = roughs > 1 ? 1 : 0;
    if (found.length !== due) broken.push(`${found.length} findings of probing for ${polish}, not ${due}`);
    else if (due && found[0].claims_total !== behind.length)
      broken.push(`the finding for ${polish} shows ${found[0].claims_total} claims, the log holds ${behind.length}`);
  }
  return broken;
}

/** Every row of every view of both replicas, which are killed for it. */
async function otherThanRebuilt(production: Production, reader: EventReader): Promise<string[]> {
  const broken: string[] = [];
  // Views commit several times a second.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  for (const [i] of production.apis.entries()) await production.kill(`api ${i + 1}`);
  const workshop = mkdtempSync(join(tmpdir(), 'mvs-rebuilt-'));
  for (const [i] of production.apis.entries()) {
    const directory = join(production.directory, `api-${i + 1}`, 'views');
    for (const projection of PROJECTIONS) {
      const kept = openView(directory, projection);
      if (!kept) {
        broken.push(`api ${i + 1} keeps no view ${projection.name}`);
        continue;
      }
      await rebuildViews({ reader, projections: [projection], directory: workshop, until: kept.position });
      const rebuilt = openView(workshop, projection)!;
      if (digestOf(kept) !== digestOf(rebuilt)) broken.push(`api ${i + 1}: ${projection.name} differs from a rebuild`);
      kept.db.close();
      rebuilt.db.close();
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

async function spectraIn(production: Production, ordinates: string[]): Promise<string[]> {
  const redis = new Redis(production.redis.url);
  const left = (await redis.keys('*')).filter((name) => name.includes(':spectra:'));
  await redis.quit();
  const broken = left.length > 0 ? [`${left.length} spectra are left in Redis`] : [];
  for (const ordinate of ordinates) {
    const hits = filesWith(production.directory, ordinate);
    if (hits.length > 0) broken.push(`an ordinate stands in ${hits.join()}`);
  }
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

/** Searched by another process: an open file of a SQLite log may not be opened and closed here. */
function filesWith(directory: string, text: string): string[] {
  if (readdirSync(directory).length === 0) throw new Error('nothing was written');
  try {
    return execFileSync('grep', ['-rlF', text, directory], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
}
