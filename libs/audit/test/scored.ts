/** A log with a population that has had scorers of its own, as the service writes it. */
import { createHash } from 'node:crypto';
import { chainRoot } from '#calibration/chain';
import { scorerPartsDecider } from '#calibration/decide-scorer-bytes';
import type { CalibrationEvent, ScorerProposal } from '#calibration/events';
import type { ClaimSubmitted } from '#claims/events';
import { streams } from '#domain/streams';
import { encodeVector } from '#domain/vectors';
import type { NewEvent } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { ThreadPool } from '#kit/threads/pool';
import { keyOf, MODEL, TestLog, type TestSet } from '#kit/views/test/log';
import { ClaimEvidence, MAPPED_METHOD, METHOD, VECTOR_LENGTH } from '#science/calibration/evidence';
import { REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import { type Measured, measurePopulation } from '#science/calibration/proposal';
import { fitScorer } from '#science/calibration/scorer/fit';
import { type ScorerLadders, scorerProposalDigest } from '#science/calibration/scorer/ladders';
import { measureUnderScorer } from '#science/calibration/scorer/measure';
import { isShrunk, SCORER_GROUPS, SCORER_METHOD, type ScorerMethod } from '#science/calibration/scorer/method';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { madeWorlds } from '#science/calibration/scorer/test/made';
import { scrambled } from '#science/numerics/test/scrambled';

export const SCORED = 'lab "ö" scored';
/** Two of its keys have one population; the second brings most claims. */
const KEYS = ['first', 'second'].map((name) => keyOf(name, { population: SCORED }));

/** Stone + STEP lies near a stone, stone + 2 STEP near that one, and not near the first. */
const STEP = 10_000;

/** A stone's side: traits in a few directions, much scatter within a pair in others. */
function vectorsOf(encoders: readonly string[], of: number, side: number, session = 0): Float32Array[] {
  const [stone, away] = [of % STEP, 0.29 * Math.floor(of / STEP)];
  const traits = scrambled(97 * stone + 11);
  const scatter = scrambled(100_003 * (2 * side + 1) + 31 * stone + 7);
  const again = scrambled(7_919 * session + stone);
  return encoders.map(() => {
    const values = Array.from({ length: VECTOR_LENGTH }, (_, at) => {
      const own = at < 12 ? traits() - 0.5 + away : at < 14 ? 3 * (scatter() - 0.5) : 0.06 * (scatter() - 0.5);
      return own + (session > 0 ? 0.05 * (again() - 0.5) : 0) + (at === 20 ? 1 : 0);
    });
    const size = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
    return Float32Array.from(values, (x) => x / size);
  });
}

/** The stone among the first ones whose polish is least like a stone's rough: a claim on it looks wrong. */
function leastLike(encoders: readonly string[], stone: number, first: number): number {
  const [rough] = vectorsOf(encoders, stone, 0);
  const likeness = Array.from({ length: first }, (_, other) =>
    vectorsOf(encoders, other, 1)[0].reduce((sum, value, i) => sum + value * rough[i], 0),
  );
  return likeness.indexOf(Math.min(...likeness));
}

const laddersOf = (method: ScorerMethod, encoders: number): ScorerLadders => ({
  schema: 1,
  method,
  model_digest: MODEL,
  source: {
    bank: { population: 'calibration', seed: 1, first_stone: 0, stones: 10, refused: 0 },
    judged: { population: 'calibration', seed: 1, first_stone: 10, stones: 10, refused: 0 },
    draws: 1,
  },
  ...(isShrunk(method) && { worlds: madeWorlds(encoders) }),
  banks: [10, 30, 100].map((groups) => ({
    groups,
    rungs: REJECT_TARGETS.map((reject_target, i) => ({
      ...{ reject_target, threshold: groups / 1000 + i / 100, expected_genuine_accept: 0.9 },
    })),
    p_match_5050: { scores: [-0.1, 0.3], probabilities: [0.1, 0.9] },
  })),
});

export interface Size {
  encoders: readonly string[];
  /** Stones of the first scorer, fewer than 30 for one of the newest method, and of the second one, where there is one. */
  first: number;
  second?: number;
}

/**
 * Writes the log into a SQLite store: a scorer by two operators and a rung under it; then, where a second one is wanted, the
 * end of the first, a raw rung, the second scorer, a rung under that one, and the end of it. Where there are two, the
 * first is of the former method.
 */
export async function writeScored(directory: string, { encoders, first, second }: Size): Promise<void> {
  const log = new TestLog();
  const pool = new ThreadPool({ threads: 2 });
  const evidence = new ClaimEvidence(SCORED, MODEL, encoders);
  const keys: string[] = [];
  let scorer: PopulationScorer | undefined;
  const stream = streams.calibration(SCORED);
  let decisions = 0;

  const claim = (stone: number, polishOf = stone, session = 0) => {
    const sides = [vectorsOf(encoders, stone, 0, session), vectorsOf(encoders, polishOf, 1)];
    const set = (of: Float32Array[], more: TestSet): TestSet => ({
      ...more,
      vectors: Object.fromEntries(encoders.map((name, e) => [name, encodeVector(of[e])])),
    });
    const score = scorer?.score(sides[0], sides[1]);
    const key = KEYS[stone % 5 === 0 ? 0 : 1];
    const from = log.events.length;
    const claimId = log.claim({
      ...{ key, rough: set(sides[0], { stone: `${stone}`, session }), polish: set(sides[1], { stone: `${polishOf}` }) },
      ...(score && {
        verdict: score.fused > 0.1 ? 'MATCH' : 'NO_MATCH',
        result: { fused_score: score.fused, scorer: 'population', threshold: 0.1 },
      }),
    });
    const submitted = log.events.slice(from).find(({ type }) => type === 'ClaimSubmitted') as unknown as ClaimSubmitted;
    const [roughVectors, polishVectors] = sides.map((of) => Float32Array.from(of.flatMap((vector) => [...vector])));
    const { rough, polish } = submitted.data;
    evidence.add({ claimId, rough, polish, roughVectors, polishVectors });
    keys.push(key.name);
  };
  const decide = (type: CalibrationEvent['type'], version: number, data: object) => {
    const before = log.events.filter((event) => event.stream === stream);
    const facts = { population: SCORED, operator: 'anna', reason: 'why', at: log.now() };
    log.append(stream, { type, version, data: { ...facts, ...data, chain: chainRoot(SCORED, before) } });
    if (!type.endsWith('Requested')) decisions++;
  };
  const store = (digest: string, bytes: Uint8Array) => {
    const command = { population: SCORED, scorer: digest, bytes };
    const decision = scorerPartsDecider.decide(scorerPartsDecider.initial, command);
    if ('refusal' in decision) throw new Error('refused');
    for (const event of decision.events) log.append(streams.scorer(SCORED, digest), event);
  };
  const approveScorer = async (method: ScorerMethod) => {
    const ladders = laddersOf(method, encoders.length);
    const laddersText = JSON.stringify(ladders);
    const laddersDigest = createHash('sha256').update(laddersText).digest('hex');
    const made = await fitScorer(
      ...([evidence, evidence.size, (at: number) => keys[at], ladders, pool, () => 0.9] as const),
    );
    if ('reason' in made) throw new Error(made.reason);
    const { figures } = made;
    scorer = made.scorer;
    store(scorer.digest, scorer.bytes);
    store(laddersDigest, Buffer.from(laddersText));
    const pinned = { method, model: MODEL, decisions, claims: evidence.size, evidence_digest: evidence.digest() };
    const proposal: ScorerProposal = {
      digest: scorerProposalDigest({ ...pinned, population: SCORED, ladders: laddersDigest }),
      ...{ ...pinned, scorer: scorer.digest, position: '1' },
      ...{ groups: figures.groups, trimmed: figures.trimmed, curve: figures.curve, rungs: figures.rungs },
    };
    decide('ScorerRequested', 1, { proposal });
    decide('ScorerApproved', 1, { proposal, operator: 'ben', requested_by: 'anna' });
  };
  const withdrawScorer = () => {
    scorer = undefined;
    decide('ScorerWithdrawn', 1, { model: MODEL });
  };
  const approveRung = async (rung: RejectTarget) => {
    const claims = evidence.size;
    const measured: Measured = await (scorer
      ? measureUnderScorer(evidence, claims, scorer, pool)
      : measurePopulation(evidence, claims, pool, () => 0.5));
    const {
      standard_error: _,
      shipped_wrong_per_1000: __,
      reject_target,
      ...figures
    } = measured.rungs.find((one) => one.reject_target === rung)!;
    const { roughs, polishes, pairs, evidence_digest } = measured;
    const proposal = {
      digest: evidence.proposalDigest(rung, decisions, claims, scorer?.digest),
      ...{ evidence_digest, method: scorer ? MAPPED_METHOD : METHOD, model: MODEL, position: '1', decisions, claims },
      ...{ roughs, polishes, pairs, ...figures },
    };
    decide('RungApproved', 3, { reject_target, scorer: scorer?.digest ?? null, proposal, requested_by: null });
  };

  for (let stone = 0; stone < first; stone++) claim(stone);
  // Scans again of stones that the bank has, and wrong claims on others.
  for (const stone of [3, 4, 9]) claim(stone, stone, 1);
  for (const stone of [7, 11, 14]) claim(stone, leastLike(encoders, stone, first));
  const early = first < SCORER_GROUPS.many;
  const former = second === undefined ? 'population-scorer/2' : 'population-scorer/1';
  await approveScorer(early ? SCORER_METHOD : former);
  for (let stone = first; stone < first + 5; stone++) claim(stone);
  claim(3, 4);
  if (!early) await approveRung(0.99);
  if (second !== undefined) {
    withdrawScorer();
    for (let stone = first + 5; stone < second; stone++) claim(stone);
    await approveRung(0.99);
    for (const steps of [1, 2]) claim(5 + steps * STEP);
    await approveScorer('population-scorer/3');
    claim(5 + 2 * STEP, 6);
    for (let stone = second; stone < second + 30; stone++) claim(stone);
    await approveRung(0.98);
    withdrawScorer();
  }
  await pool.close();

  const eventStore = await openSqliteEventStore({ directory });
  for (const { stream: of, id, recordedAt, ...event } of log.events)
    await eventStore.append(of, [{ id, ...event, recordedAt } as NewEvent], 'any');
  await eventStore.close();
}
