/** Approvals by more claims than make a proposal: what the service writes is what both verifiers recompute. */
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { chainRoot } from '#calibration/chain';
import { HeldClaims } from '#calibration/held-claims';
import { Proposals } from '#calibration/queries-proposals';
import { upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import type { NewEvent } from '#kit/log/port';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { ThreadPool } from '#kit/threads/pool';
import { keyOf, MODEL, TestLog } from '#kit/views/test/log';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import { prepareBundle } from './bundle.js';
import { decoded, ENCODERS, POPULATION, setOf } from './test/population.js';
import { PYTHON, SECOND, withPython } from './test/second-verifier.js';
import { verifyBundle } from './unpack.js';
import { zipOfPrepared } from './zip.js';

const STONES = 110;
const CLAIMS = 5005;

it('rests on the newest claims, and both verifiers find the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mvs-newest-spec-'));
  const pool = new ThreadPool({ threads: 1 });
  try {
    const log = new TestLog();
    const key = keyOf('machine', { population: POPULATION });
    const [roughs, polishes] = [0, 1].map((side) => Array.from({ length: STONES }, (_, i) => setOf(i, side)));
    // Few stones of many pairs, of which some two in three are nobody's claim.
    const claims = Array.from({ length: CLAIMS }, (_, i) => {
      const [rough, polish] = [roughs[i % STONES], polishes[(i + Math.floor(i / STONES)) % STONES]];
      return { rough, polish, claimId: log.claim({ key, rough, polish }) };
    });
    const submitted = log.events.filter(({ type }) => type === 'ClaimSubmitted').map(({ data }) => data);
    const reads: number[] = [];
    const view = {
      held: () => CLAIMS,
      counted: async (_p: string, _m: string, _e: readonly string[], after: number, limit: number) => {
        reads.push(after);
        return claims.slice(after, after + limit).map(({ rough, polish, claimId }, i) => ({
          ...{ ordinal: after + i + 1, position: '1', claimId, at: '', key: key.name },
          ...(submitted[after + i] as { rough: never; polish: never }),
          ...{ roughVectors: decoded(rough.vectors!), polishVectors: decoded(polish.vectors!) },
        }));
      },
    };
    const model = { digest: MODEL, encoders: ENCODERS.map((name) => ({ name })) };
    const rungs = REJECT_TARGETS.map((reject_target) => ({ reject_target, threshold: 0.5 }));
    const proposals = new Proposals(
      view as never,
      model as never,
      { source: { population: 'none' }, rungs } as never,
      pool,
    );
    const measured = (await proposals.latest(POPULATION))!;
    expect(Math.min(...reads)).toBe(1000);
    const proposal = proposals.facts(POPULATION, measured, 0.98, 0)!;
    expect(proposal).toMatchObject({ method: 'cross-pairs/2', claims: CLAIMS, roughs: STONES, polishes: STONES });
    const another = new Proposals(
      view as never,
      model as never,
      { source: { population: 'none' }, rungs } as never,
      pool,
    );
    expect(await another.find(POPULATION, proposal.digest, 0.98, 0)).toEqual(proposal);
    const { evidence } = await new HeldClaims(view as never, model as never).load(POPULATION);
    expect([evidence.before, evidence.size]).toEqual([1000, CLAIMS - 1000]);

    const stream = streams.calibration(POPULATION);
    const decided = { population: POPULATION, operator: 'anna', reason: 'why', at: log.now() };
    const data = { ...decided, reject_target: 0.98, proposal, requested_by: null, chain: chainRoot(POPULATION, []) };
    log.append(stream, { type: 'RungApproved', version: 2, data });
    const store = await openSqliteEventStore({ directory: folder });
    for (const [i, { stream, id, recordedAt, ...event }] of log.events.entries()) {
      const stored = store.append(stream, [{ id, ...event, recordedAt } as unknown as NewEvent], 'any');
      if (i % 500 === 0) await stored;
    }
    await store.append('edge', [], 'any');
    await store.close();
    const reader = openSqliteEventReader({ directory: folder, upcast });
    const { zip, done } = await zipOfPrepared(
      await prepareBundle({ reader, population: POPULATION, seals: undefined }),
    );
    const bundle = join(folder, 'bundle.zip');
    await Promise.all([done, pipeline(zip, createWriteStream(bundle))]);
    await reader.close();
    expect((await verifyBundle(bundle)).says).toMatch(/^OK/);
    if (!withPython) return;
    const { stdout, stderr } = spawnSync(PYTHON, [SECOND, bundle], { encoding: 'utf8' });
    expect([stdout, stderr].join('')).toMatch(/^OK/m);
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
