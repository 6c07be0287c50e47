/**
 * The production profile under load, in turns with the embedded default and the Python peer: two api replicas and two
 * workers over a real Redis. The event log is the protocol double unless MVS_TEST_EVENTSTORE_URL names a real server.
 */
import { startProduction } from '../test/faults/production.js';
import { redisIsHere } from '../test/redis.js';
import { compare, createKey, startService, type Target, withTargets } from './load.js';

const LOADS = [
  { clients: 2, requests: 400 },
  { clients: 32, requests: 2000 },
];
const ROUNDS = 3;

export async function run(): Promise<void> {
  if (!redisIsHere) {
    console.log('not measured: redis-server is not installed');
    return;
  }
  console.log(`event log: ${process.env.MVS_TEST_EVENTSTORE_URL ? 'a real EventStoreDB' : 'the protocol double'}`);
  let profile: Target;
  const starts = [
    async () => {
      profile = await startProfile();
      return profile;
    },
    // What a replica spends on claims that another one answers.
    async () => ({ ...profile, name: 'the same, api 1 asked alone', bases: [profile.bases[0]], stop: async () => {} }),
    startService,
  ];
  await withTargets(starts, (targets) => compare(targets, LOADS, ROUNDS));
}

export async function startProfile(): Promise<Target> {
  const production = await startProduction({
    MVS_MAX_RATE: '1000000',
    MVS_MAX_BURST: '1000000',
    MVS_LOG_LEVEL: 'warn',
  });
  const pidsOf = (name: string) =>
    production.programs.filter((program) => program.name.startsWith(name)).map(({ child }) => child.pid!);
  try {
    await production.ready();
    return {
      name: '2 api + 2 workers',
      bases: production.apis,
      key: await createKey(production.apis[0], production.operator['x-svc-admin']),
      operator: production.operator['x-svc-admin'],
      parts: () => ({
        'api 1': pidsOf('api 1'),
        'api 2': pidsOf('api 2'),
        workers: pidsOf('worker'),
        Redis: [production.redis.process.pid!],
        ...(pidsOf('store').length > 0 && { "event log's double": pidsOf('store') }),
      }),
      stop: () => production.stop(),
    };
  } catch (error) {
    await production.stop();
    throw error;
  }
}
