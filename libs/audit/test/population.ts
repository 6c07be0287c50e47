/** A log with a population that has approvals, as the service writes it. */

import { chainRoot } from '#calibration/chain';
import type { ProposalFacts } from '#calibration/events';
import type { ClaimSubmitted } from '#claims/events';
import { streams } from '#domain/streams';
import { decodeVector, encodeVector } from '#domain/vectors';
import type { NewEvent } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { ThreadPool } from '#kit/threads/pool';
import { keyOf, MODEL, TestLog, type TestSet } from '#kit/views/test/log';
import { ClaimEvidence, VECTOR_LENGTH } from '#science/calibration/evidence';
import type { RejectTarget } from '#science/calibration/ladder';
import { measurePopulation } from '#science/calibration/proposal';
import { scrambled } from '#science/numerics/test/scrambled';

/** Another model, the shadow, which scored some claims after the live one. */
export const SHADOW = 'b'.repeat(64);
export const POPULATION = 'lab "ä" <a>';
export const ENCODERS = ['one', 'two'];
const STONES = 130;
const key = keyOf('machine', { population: POPULATION });

/** Vectors that are alike for the two sides of a stone and a little so for all stones. */
function vectorsOf(stone: number, side: number): Record<string, string> {
  const about = (seed: number) => {
    const random = scrambled(seed);
    return () => random() - 1;
  };
  let next = about(1 + 2 * stone);
  const own = ENCODERS.map(() => Array.from({ length: VECTOR_LENGTH }, next));
  next = about(1_000_003 * (side + 1) + stone);
  return Object.fromEntries(
    ENCODERS.map((name, e) => {
      const values = own[e].map((value, i) => value + 0.3 * next() + (i < 9 ? 3 : 0));
      const size = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
      return [name, encodeVector(Float32Array.from(values, (x) => x / size))];
    }),
  );
}

export const setOf = (stone: number, side: number, more: Partial<TestSet> = {}): TestSet => ({
  stone: `${stone}`,
  vectors: vectorsOf(stone, side),
  ...more,
});

export const decoded = (sets: Record<string, string>) =>
  Float32Array.from(ENCODERS.flatMap((name) => Array.from(decodeVector(sets[name])!)));

/** A submission in version 1, as a program wrote it that did not chain. */
function beforeTheChain({ type, data }: { type: string; data: Record<string, unknown> }) {
  const { shared_scans: _, ladder_digest: __, rough, polish, ...kept } = data;
  const side = ({ detail_residual_measured: _, ...of }: Record<string, unknown>) => of;
  const sides = { rough: side(rough as Record<string, unknown>), polish: side(polish as Record<string, unknown>) };
  return { type, version: 1, data: { ...kept, ...sides } };
}

/** Writes the log into a SQLite store. Of more stones than the tests need, all claims together give one more approval. */
export async function writeLog(directory: string, stones = STONES): Promise<void> {
  const log = new TestLog();
  const evidence = new ClaimEvidence(POPULATION, MODEL, ENCODERS);
  const shadowEvidence = new ClaimEvidence(POPULATION, SHADOW, ENCODERS);
  const submissions: ClaimSubmitted['data'][] = [];
  const claim = (stone: number, rough: TestSet, polish: TestSet, counts = true, by = key) => {
    const from = log.events.length;
    const result = { fused_score: 0.5 + ((37 * stone) % 100) / 200 };
    const claimId = log.claim({ key: by, rough, polish, result, apart: stone < 20 });
    if (!counts) return claimId;
    const { data } = log.events.slice(from).find(({ type }) => type === 'ClaimSubmitted') as unknown as ClaimSubmitted;
    const [roughVectors, polishVectors] = [decoded(rough.vectors!), decoded(polish.vectors!)];
    evidence.add({ claimId, rough: data.rough, polish: data.polish, roughVectors, polishVectors });
    submissions.push(data);
    return claimId;
  };
  /** Scores the claim as shadow: under the other model, with the vectors of another stone. */
  const scoreAsShadow = (nth: number) => {
    const { claim_id, key: by, rough, polish, at } = submissions[nth];
    const [roughVectors, polishVectors] = (['rough', 'polish'] as const).map((side, i) => {
      const { digest, scans, references } = submissions[nth][side];
      const vectors = vectorsOf(1000 + nth, i);
      const of = { population: POPULATION, model: SHADOW, digest, side, scans, references };
      const data = { ...of, vectors, by: 'claim' as const, claim_id, at };
      log.append(streams.claim(by.id, claim_id), { type: 'ScanSetBanked', version: 1, data });
      return decoded(vectors);
    });
    const score = { fused_score: 0.4, member_cosines: { one: 0.4, two: 0.4 }, engine: 'simd' };
    const data = { claim_id, request_id: 'r', model: SHADOW, ...score, at };
    log.append(streams.claim(by.id, claim_id), { type: 'ClaimShadowScored', version: 1, data });
    shadowEvidence.add({ claimId: claim_id, rough, polish, roughVectors, polishVectors });
  };
  // A stone's second part, a wrong claim and sets that come again are among them.
  for (let stone = 0; stone < stones; stone++) {
    const reference = stone % 7 === 0 ? `Ü"${stone >> 1}.${stone % 2}` : undefined;
    const claimId = claim(stone, setOf(stone, 0, { reference }), setOf(stone, 1, { reference }));
    if (stone === 10 || stone === 60) log.label(claimId, stone === 10 ? 'match' : 'no_match', 'NO_MATCH', key);
    if (stone === 50) {
      claim(51, setOf(3, 0), setOf(4, 1));
      claim(52, setOf(3, 0), setOf(4, 1, {}), false);
      const off = { facts: { detail_residual: 0.9 } };
      claim(53, setOf(900, 0, off), setOf(900, 1), false);
      claim(54, setOf(901, 0), setOf(901, 1), false, keyOf('trial', { population: POPULATION, kind: 'test' }));
      const elsewhere = keyOf('elsewhere');
      log.label(claim(55, setOf(902, 0), setOf(902, 1), false, elsewhere), 'match', 'NO_MATCH', elsewhere);
    }
  }
  const pool = new ThreadPool({ threads: 1 });
  const facts = async (
    rung: RejectTarget,
    claims: number,
    decisions: number,
    of = evidence,
  ): Promise<ProposalFacts> => {
    const measured = await measurePopulation(of, claims, pool, () => 0.5);
    const figures = measured.rungs.find(({ reject_target }) => reject_target === rung)!;
    const { roughs, polishes, pairs, evidence_digest } = measured;
    const { standard_error: _, shipped_wrong_per_1000: __, reject_target: ___, ...kept } = figures;
    const digest = of.proposalDigest(rung, decisions, claims);
    const pinned = { method: 'cross-pairs/1', model: of.model, position: '1', decisions, claims };
    return { digest, evidence_digest, ...pinned, roughs, polishes, pairs, ...kept };
  };
  const decide = (type: string, data: object) => {
    const stream = streams.calibration(POPULATION);
    const before = log.events.filter((event) => event.stream === stream);
    const decided = { population: POPULATION, operator: 'anna', reason: '<script>"why" & how', at: log.now(), ...data };
    // The first ones as they were written before there was a chain.
    const chained = before.length >= 2;
    const chain = chained ? { chain: chainRoot(POPULATION, before) } : {};
    log.append(stream, { type, version: chained ? 2 : 1, data: { ...decided, ...chain } });
  };
  const approve = async (rung: RejectTarget, claims: number, decisions: number, of = evidence) => {
    const proposal = await facts(rung, claims, decisions, of);
    decide('RungApproved', { reject_target: rung, proposal, requested_by: null });
  };
  await approve(0.98, 80, 0);
  const previous = { expected: 'match', request_id: 'labels', at: log.now() };
  const label = { ...previous, expected: 'no_match' };
  const data = { claim_id: submissions[10].claim_id, verdict: 'NO_MATCH', agrees: true, label, previous };
  log.append(streams.labels(key.id), { type: 'LabelAmended', version: 1, data });
  await approve(0.99, 120, 1);
  decide('RungWithdrawn', { reject_target: 0.98, model: MODEL });
  await approve(0.98, 120, 3);
  // In another order than that of the claims.
  for (let nth = 44; nth >= 0; nth--) scoreAsShadow(nth);
  await approve(0.99, 42, 4, shadowEvidence);
  if (stones > STONES) await approve(0.97, evidence.size, 5);
  await pool.close();

  const store = await openSqliteEventStore({ directory });
  const events = log.events.map(({ stream, id, recordedAt, ...event }) => ({
    stream,
    event: { id, ...(event.type === 'ClaimSubmitted' ? beforeTheChain(event) : event), recordedAt } as NewEvent,
  }));
  for (const [i, { stream, event }] of events.entries()) {
    const stored = store.append(stream, [event], 'any');
    if (i % 1000 === 0) await stored;
  }
  await store.append('edge', [], 'any');
  await store.close();
}
