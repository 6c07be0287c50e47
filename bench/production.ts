/**
 * The production profile under load, in turns with the embedded default and the Python peer: replicas by role, also with
 * appends by the client package, and two that answer everybody, each with two workers over a real Redis. The event log is the protocol double unless MVS_TEST_EVENTSTORE_URL names a real server.
 */
import type { Role } from '#config/environment';
import { startProduction } from '../test/faults/production.js';
import { redisIsHere } from '../test/redis.js';
import { compare, createKey, startService, type Target, withTargets } from './load.js';

const LOADS = [
  { clients: 2, requests: 400 },
  { clients: 32, requests: 2000 },
];
const ROUNDS = Number(process.env.MVS_BENCH_ROUNDS ?? 3);
/** Claims before each target is measured: six processes are compiled by then, as each profile is two targets. */
const STORED = 2000;

export const LOG = "event log's double";
const BY_ROLE: readonly Role[] = ['claims', 'claims', 'operators'];
const PROFILES: Record<string, { roles: readonly Role[]; appendBy?: 'client' }> = {
  '2 for claims, 1 for operators, 2 workers': { roles: BY_ROLE },
  'the same, appended to by the client package': { roles: BY_ROLE, appendBy: 'client' },
  '2 api + 2 workers': { roles: ['all', 'all'] },
};

export async function run(): Promise<void> {
  if (!redisIsHere) {
    console.log('not measured: redis-server is not installed');
    return;
  }
  console.log(`event log: ${process.env.MVS_TEST_EVENTSTORE_URL ? 'a real EventStoreDB' : 'the protocol double'}`);
  const starts = Object.keys(PROFILES).flatMap((name) => {
    let profile: Target;
    return [
      async () => {
        profile = await startProfile(name);
        return profile;
      },
      // The share of a replica that is spent on claims which another one answers.
      async () => ({
        ...profile,
        name: `the same (${name}), api 1 asked alone`,
        bases: [profile.bases[0]],
        stop: async () => {},
      }),
    ];
  });
  await withTargets([...starts, startService], (targets) => compare(targets, LOADS, ROUNDS, STORED));
}

export async function startProfile(name = '2 api + 2 workers'): Promise<Target> {
  const { roles, appendBy } = PROFILES[name];
  const production = await startProduction(
    {
      MVS_MAX_RATE: '1000000',
      MVS_MAX_BURST: '1000000',
      MVS_LOG_LEVEL: 'warn',
      ...(appendBy && { MVS_EVENTSTORE_APPEND: appendBy }),
    },
    1,
    roles,
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
