/**
 * Pauses of the event log under load: 32 clients send claims one after the other to two api replicas while the process of
 * the log's double stands still (SIGSTOP) for some seconds, and goes on. What they were answered, and how long the slowest took.
 */
import { setTimeout } from 'node:timers/promises';
import { redisIsHere } from '../test/redis.js';
import { claimBody } from './claims.js';
import { type Target, withTargets } from './load.js';
import { LOG, startProfile } from './production.js';

const PAUSES_S = [1, 2, 3, 5, 10];
const CLIENTS = 32;
/** Before and after a pause. */
const AROUND_MS = 3_000;

export async function run(): Promise<void> {
  if (!redisIsHere || process.env.MVS_TEST_EVENTSTORE_URL) {
    console.log('not measured: redis-server is not installed, or the log is not the protocol double');
    return;
  }
  await withTargets([() => startProfile()], ([target]) => measure(target), false);
}

async function measure(target: Target): Promise<void> {
  const [log] = target.parts()[LOG];
  const body = claimBody();
  await under(target, body, () => setTimeout(AROUND_MS));
  console.log('\n| pause, s | claims | answers | slowest, s |\n|---:|---:|---|---:|');
  for (const pause of PAUSES_S) {
    const { statuses, slowestMs } = await under(target, body, async () => {
      await setTimeout(AROUND_MS);
      process.kill(log, 'SIGSTOP');
      await setTimeout(1_000 * pause);
      process.kill(log, 'SIGCONT');
      await setTimeout(AROUND_MS);
    });
    const claims = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
    console.log(`| ${pause} | ${claims} | ${answers.join(', ')} | ${(slowestMs / 1_000).toFixed(1)} |`);
  }
}

/** Claims of all clients until the work is over, by the status of their answers. */
async function under({ bases, key }: Target, body: () => Buffer, work: () => Promise<void>) {
  const statuses: Record<string, number> = {};
  let slowestMs = 0;
  let over = false;
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const client = async (n: number): Promise<void> => {
    while (!over) {
      const began = performance.now();
      const sent = { method: 'POST', headers, body: new Uint8Array(body()) };
      const response = await fetch(`${bases[n % bases.length]}/api/v1/verify-match`, sent);
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      slowestMs = Math.max(slowestMs, performance.now() - began);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
  await work();
  over = true;
  await clients;
  return { statuses, slowestMs };
}
