/**
 * The service under load, in turns with its peer (a FastAPI service in ../shared/peer that does less: no events, views,
 * queue or files) where Python and the peer are there. `--long` measures instead the service's memory and the cost of a
 * claim at 1,000 to 100,000 stored ones.
 */
import { compare, load, startService, type Target, withTargets } from './load.js';

const LOADS = [
  { clients: 1, requests: 300 },
  { clients: 32, requests: 2000 },
];
const ROUNDS = 3;

export async function run(): Promise<void> {
  await withTargets([startService], (targets) =>
    process.argv.includes('--long') ? endure(targets[0]) : compare(targets, LOADS, ROUNDS),
  );
}

/** Memory and cost as the log grows. */
async function endure(service: Target): Promise<void> {
  let stored = 0;
  console.log('\n| claims stored | RSS MiB | CPU ms a claim | claims/s |\n|---:|---:|---:|---:|');
  for (const goal of [1_000, 5_000, 50_000, 100_000]) {
    if (goal - 1000 > stored) await load(service, 32, goal - 1000 - stored);
    const { cpuMs, claims_per_s } = await load(service, 32, 1000);
    stored = Math.max(goal, stored + 1000);
    const { rssMiB } = await service.vitals!();
    console.log(`| ${stored} | ${rssMiB.toFixed(0)} | ${cpuMs.toFixed(2)} | ${claims_per_s.toFixed(0)} |`);
  }
}
