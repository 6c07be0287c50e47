/**
 * The production profile under load, in turns with the embedded default and the Python peer: replicas by role, and two that answer everybody, each with a worker over a real Redis. The event log is the protocol double unless
 * MVS_TEST_EVENTSTORE_URL names a real server. MVS_BENCH_BESIDE names the folder of another build: its embedded service is measured in
 * the same turns.
 */
import type { Role } from '#config/environment';
import { startProduction } from '../test/faults/production.js';
import { redisIsHere } from '../test/redis.js';
import { compare, createKey, startService, type Target, withTargets } from './load.js';

const LOADS = [
  // Of two replicas each has one.
  { clients: 1, requests: 300 },
  { clients: 32, requests: 2000 },
];
const ROUNDS = Number(process.env.MVS_BENCH_ROUNDS ?? 3);
/** Claims before each target is measured: most of its code is compiled by then. */
const STORED = 2000;

export const LOG = "event log's double";
export interface Profile {
  name: string;
  roles: readonly Role[];
  workers: number;
}
const BY_ROLE = { roles: ['claims', 'operators'], workers: 1 } as const;
const TWO: Profile = { name: '2 api + 1 worker', roles: ['all', 'all'], workers: 1 };
const PROFILES: readonly Profile[] = [{ name: '1 for claims, 1 for operators, 1 worker', ...BY_ROLE }, TWO];

export async function run(): Promise<void> {
  if (!redisIsHere) {
    console.log('not measured: redis-server is not installed');
    return;
  }
  console.log(`event log: ${process.env.MVS_TEST_EVENTSTORE_URL ? 'a real EventStoreDB' : 'the protocol double'}`);
  const starts = PROFILES.flatMap((described) => {
    let profile: Target;
    const start = async () => {
      profile = await startProfile(described);
      return profile;
    };
    // The share of a replica that is spent on claims which another one answers.
    const alone = async () => ({
      ...profile,
      name: `the same (${described.name}), api 1 asked alone`,
      bases: [profile.bases[0]],
      stop: async () => {},
    });
    return described.roles.filter((role) => role !== 'operators').length > 1 ? [start, alone] : [start];
  });
  const beside = process.env.MVS_BENCH_BESIDE;
  const builds = beside ? [(directory: string) => startService(directory, beside), startService] : [startService];
  await withTargets([...starts, ...builds], (targets) => compare(targets, LOADS, ROUNDS, STORED));
}

export async function startProfile({ name, roles, workers } = TWO): Promise<Target> {
  const production = await startProduction(
    { MVS_MAX_RATE: '1000000', MVS_MAX_BURST: '1000000', MVS_LOG_LEVEL: 'warn' },
    1,
    roles,
    workers,
  );
  const pidsOf = (program: string) =>
    production.programs.filter((one) => one.name.startsWith(program)).map(({ child }) => child.pid!);
  const [forOperators] = production.forOperators;
  try {
    await production.ready();
    return {
      name,
      bases: production.forClaims,
      key: await createKey(forOperators, production.operator['x-svc-admin']),
      operator: production.operator['x-svc-admin'],
      parts: () => ({
        ...Object.fromEntries(
          roles.map((role, i) => [`api ${i + 1}${role === 'all' ? '' : ` (${role})`}`, pidsOf(`api ${i + 1}`)]),
        ),
        workers: pidsOf('worker'),
        Redis: [production.redis.process.pid!],
        ...(pidsOf('store').length > 0 && { [LOG]: pidsOf('store') }),
      }),
      apart: LOG,
      stop: () => production.stop(),
    };
  } catch (error) {
    await production.stop();
    throw error;
  }
}
