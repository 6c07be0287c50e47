/**
 * The service under load, in turns with its peer (bench/peer: FastAPI, numpy and one SQLite row per claim, which does less: no
 * events, views, queue or files) where Python and its parts are there; each key holds 4,000 claims before. Then memory and
 * the cost of a claim of one key that holds 1,000 and 10,000, and with `--long` 100,000.
 */
import { compare, load, startService, type Target, withTargets } from './load.js';

const LOADS = [
  { clients: 1, requests: 300 },
  { clients: 32, requests: 2000 },
];
const ROUNDS = 5;
const STORED = 4000;
/** The growth of a fresh key: claims that it holds, and claims that are measured up to there. */
const GROWTH = [1000, 10_000];
const LONG = 100_000;
const MEASURED = 500;

export async function run(): Promise<void> {
  const long = process.argv.includes('--long');
  if (!long) await withTargets([startService], (targets) => compare(targets, LOADS, ROUNDS, STORED));
  await withTargets([startService], ([service]) => grow(service, long ? [...GROWTH, LONG] : GROWTH), false);
}

/** Memory and cost as one key's claims grow. */
async function grow(service: Target, goals: number[]): Promise<void> {
  let stored = 0;
  console.log('\n| claims of the key | CPU ms per claim | RSS MiB | claims/s |\n|---:|---:|---:|---:|');
  for (const goal of goals) {
    await load(service, 32, goal - MEASURED - stored);
    const { cpuMs, claims_per_s } = await load(service, 32, MEASURED);
    stored = goal;
    const { rssMiB } = await service.vitals!();
    console.log(`| ${stored} | ${cpuMs.toFixed(2)} | ${rssMiB.toFixed(0)} | ${claims_per_s.toFixed(0)} |`);
  }
}
