import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { ThreadPool } from '#kit/threads/pool';
import { ClaimEvidence } from '#science/calibration/evidence';
import { measurePopulation } from '#science/calibration/proposal';

const CLAIMS = 10_000;
const ENCODERS = ['first', 'second'];
const WIDTH = 256 * ENCODERS.length;
const ROUNDS = 2;

interface Timed {
  wall: number;
  processor: number;
}

/** Claims that come between two measurements. */
const MORE = 20;

/** A proposal for 10,000 claims of as many stones, as a restarted service makes it and as it goes on from there. */
export async function run(): Promise<void> {
  const evidence = new ClaimEvidence('bench', '0'.repeat(64), ENCODERS);
  const began = performance.now();
  for (let i = 0; i < CLAIMS; i++) {
    const side = (name: string) => ({ digest: `${name}${i}`, references: [] });
    evidence.add({
      claimId: `clm_${i}`,
      rough: side('r'),
      polish: side('p'),
      roughVectors: vectors(i, 1),
      polishVectors: vectors(i, 2),
    });
  }
  const perClaim = ((performance.now() - began) * 1000) / CLAIMS;
  const threads = 2;
  console.log(
    `Node ${process.versions.node}, ${CLAIMS} claims, ${ENCODERS.length} encoders, ${threads} threads, best of ${ROUNDS}\n`,
  );
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const [cold, warm, find]: Timed[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const pool = new ThreadPool({ threads });
    cold.push(await timed(() => measurePopulation(evidence, CLAIMS, pool, () => 0.5)));
    const known = {};
    await measurePopulation(evidence, CLAIMS - MORE, pool, () => 0.5, known);
    warm.push(await timed(() => measurePopulation(evidence, CLAIMS, pool, () => 0.5, known)));
    find.push(await timed(async () => evidence.claimsBehind(evidence.proposalDigest(0.98, 0, 1), 0.98, 0)));
    await pool.close();
  }
  console.log('| | seconds | processor seconds |\n|---|---:|---:|');
  const line = (name: string, times: Timed[]) => {
    const min = (of: keyof Timed) => Math.min(...times.map((one) => one[of])).toFixed(2);
    console.log(`| ${name} | ${min('wall')} | ${min('processor')} |`);
  };
  line('from nothing: stones, then all pairs', cold);
  line(`${MORE} claims after the last proposal`, warm);
  delay.disable();
  line('finding the oldest digest among all', find);
  console.log(
    `\nmemory: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB at most, vectors and threads included`,
  );
  console.log(`event loop held: ${(delay.max / 1e6).toFixed(0)} ms at most, digests included`);
  console.log(`a claim added to the evidence: ${perClaim.toFixed(0)} us (of which most makes the bench's numbers)`);
}

/** Wall time and the processor time of all threads, which a busy machine lengthens less. */
async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - began) / 1000, processor: (user + system) / 1e6 };
}

/** Unit rows that resemble each other about as much as stones do. */
function vectors(stone: number, side: number): Float32Array {
  const out = new Float32Array(WIDTH);
  let state = (stone * 2654435761 + 1) >>> 0;
  let noise = (stone * 2246822519 + side) >>> 0;
  for (let from = 0; from < WIDTH; from += 256) {
    let squares = 0;
    for (let i = from; i < from + 256; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0;
      out[i] = (state / 2 ** 31 - 1) * (i % 256 < 16 ? 1 : 0.1) + 0.1 * (noise / 2 ** 31 - 1);
      squares += out[i] * out[i];
    }
    const length = Math.sqrt(squares);
    for (let i = from; i < from + 256; i++) out[i] /= length;
  }
  return out;
}
