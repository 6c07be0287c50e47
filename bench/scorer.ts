/** Costs of a population's own scorer: its fit, its load on a replica, and the judgement of a claim with and without it. */
import { performance } from 'node:perf_hooks';
import { ThreadPool } from '#kit/threads/pool';
import { ClaimEvidence, VECTOR_LENGTH } from '#science/calibration/evidence';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import { fitScorer } from '#science/calibration/scorer/fit';
import type { ScorerLadders } from '#science/calibration/scorer/ladders';
import { SCORER_GROUPS, SCORER_METHOD } from '#science/calibration/scorer/method';
import { PopulationScorer } from '#science/calibration/scorer/scorer';
import { fusedScore } from '#science/matching/encoder';
import { uniform } from '#science/numerics/random';

const ENCODERS = ['one', 'two', 'three'];
const MODEL = 'a'.repeat(64);
const CLAIMS = [100, 300, 1000];
const JUDGED = 200;
const SEED = 20_262;

/** Milliseconds of this process's processor a run, over all of them. */
function processorTime(runs: number, work: (run: number) => void): number {
  for (let run = 0; run < runs; run++) work(run);
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run++) work(run);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / runs;
}

const source = { population: 'bench', seed: SEED, first_stone: 0, stones: 1, refused: 0 };
const ladders: ScorerLadders = {
  schema: 1,
  method: SCORER_METHOD,
  model_digest: MODEL,
  source: { bank: source, judged: source, draws: 1 },
  banks: [SCORER_GROUPS.least, ...SCORER_GROUPS.propose].map((groups) => ({
    groups,
    rungs: REJECT_TARGETS.map((reject_target) => ({
      reject_target,
      threshold: reject_target - 0.9,
      expected_genuine_accept: null,
    })),
    p_match_5050: { scores: [-0.2, 0.4], probabilities: [0.01, 0.99] },
  })),
};

/** Unit vectors of stones that differ in 40 directions, and of their two sides, which differ in all. */
function stones(next: () => number) {
  const normal = () => next() + next() + next() + next() - 2;
  const directions = Array.from({ length: 40 }, () => Float32Array.from({ length: VECTOR_LENGTH }, normal));
  return () => {
    const sides = ENCODERS.map(() => {
      const stone = new Float32Array(VECTOR_LENGTH);
      for (const direction of directions) {
        const much = normal();
        for (let i = 0; i < VECTOR_LENGTH; i++) stone[i] += much * direction[i];
      }
      return [0, 1].map(() => {
        const side = stone.map((value) => value + 2 * normal());
        const length = Math.hypot(...side);
        return side.map((value) => value / length);
      });
    });
    return { rough: sides.map(([rough]) => rough), polish: sides.map(([, polish]) => polish) };
  };
}

export async function run(): Promise<void> {
  const pool = new ThreadPool({ threads: 2 });
  const draw = stones(uniform(SEED));
  const judged = Array.from({ length: JUDGED }, draw);
  const joined = (vectors: Float32Array[]) => Float32Array.from(vectors.flatMap((vector) => [...vector]));
  console.log('| claims | fit, wall | bytes | load | judgement raw, processor | by the scorer, processor |');
  console.log('|---|---|---|---|---|---|');
  for (const claims of CLAIMS) {
    const evidence = new ClaimEvidence('bench', MODEL, ENCODERS);
    for (let i = 0; i < claims; i++) {
      const { rough, polish } = draw();
      const side = (name: string) => ({ digest: `${name} ${i}`, references: [] });
      evidence.add({
        ...{ claimId: `clm_${i}`, rough: side('rough'), polish: side('polish') },
        ...{ roughVectors: joined(rough), polishVectors: joined(polish) },
      });
    }
    const began = performance.now();
    const fitted = await fitScorer(
      evidence,
      claims,
      () => 'bench',
      ladders,
      pool,
      () => 0.5,
    );
    const fit = performance.now() - began;
    if ('reason' in fitted) throw new Error(fitted.reason);
    const { bytes } = fitted.scorer;
    const before = performance.now();
    const scorer = PopulationScorer.load(bytes);
    const load = performance.now() - before;
    const raw = processorTime(JUDGED, (i) => fusedScore(judged[i].rough, judged[i].polish));
    const mapped = processorTime(JUDGED, (i) => scorer.score(judged[i].rough, judged[i].polish));
    const cells = [`${(fit / 1000).toFixed(1)} s`, bytes.length, `${load.toFixed(0)} ms`];
    console.log(`| ${[claims, ...cells, `${raw.toFixed(3)} ms`, `${mapped.toFixed(3)} ms`].join(' | ')} |`);
  }
  await pool.close();
}
