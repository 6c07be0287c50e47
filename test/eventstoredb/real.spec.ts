/** The adapter on real servers that are killed, stand still and lose their leader: skipped by name where none is beside the clone. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newEventId } from '#kit/log/event-id';
import { parseAddress } from '#kit/log/eventstoredb/address';
import { leaderOf } from '#kit/log/eventstoredb/gossip';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { type EventStore, StoreUnavailable } from '#kit/log/port';
import { root } from '../client/packed.js';
import { freePort } from '../ports.js';
import { until } from '../until.js';
import { LOG_SECRET } from './double.js';

const script = resolve(root, '../shared/eventstoredb/node.sh');
const dotnet = (() => {
  try {
    execFileSync('dotnet', ['--list-runtimes'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

(existsSync(script) && dotnet ? describe : describe.skip)('a real EventStoreDB', () => {
  const home = mkdtempSync(join(tmpdir(), 'mvs-real-'));
  const { EVENTSTORE_URL: _, ...environment } = process.env;
  const node = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('bash', [script, ...args], {
      env: { ...environment, ESDB_HOME: home },
    });
    return stdout.trim();
  };
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Writes one event after the other, until it is told to stop; says what was acknowledged. */
  function writing(store: EventStore, stream: string) {
    let [acknowledged, refused, running] = [0, 0, true];
    const done = (async () => {
      while (running) {
        const [n, id] = [acknowledged, newEventId()];
        const one = { id, type: 'Tested', version: 1, data: { n } };
        // A refused one may be stored: the same is sent again.
        for (let stored = false; !stored; ) {
          try {
            await store.append(stream, [one], n === 0 ? 'no_stream' : BigInt(n - 1));
            stored = true;
          } catch (error) {
            if (!(error instanceof StoreUnavailable)) throw error;
            refused++;
          }
        }
        acknowledged++;
      }
    })();
    return {
      stream,
      acknowledged: () => acknowledged,
      refused: () => refused,
      stop: () => {
        running = false;
        return done;
      },
    };
  }

  /** Holds what is read and what a subscription gave to what was acknowledged, while all this happens. */
  async function lives(connectionString: string, incidents: (() => Promise<unknown>)[]): Promise<void> {
    const store = openEventStoreDB({ secrets: [LOG_SECRET], connectionString });
    const given: number[] = [];
    const subscription = store.subscribe(
      { streamPrefixes: ['s-0'] },
      { onEvent: ({ data }) => void given.push(data.n as number) },
    );
    const writers = Array.from({ length: 4 }, (_, i) => writing(store, `s-${i}`));
    for (const happens of incidents) {
      const before = writers.map(({ acknowledged }) => acknowledged());
      await until(() => writers.every(({ acknowledged }, i) => acknowledged() > before[i] + 5));
      await happens();
    }
    const before = writers.map(({ acknowledged }) => acknowledged());
    await until(() => writers.every(({ acknowledged }, i) => acknowledged() > before[i] + 5));
    await Promise.all(writers.map(({ stop }) => stop()));
    for (const { stream, acknowledged } of writers) {
      const stored = (await store.readStream(stream)).map(({ data }) => data.n);
      expect(stored).toEqual(Array.from({ length: acknowledged() }, (_, n) => n));
    }
    await until(() => given.length >= writers[0].acknowledged());
    expect(given).toEqual(Array.from({ length: writers[0].acknowledged() }, (_, n) => n));
    await subscription.close();
    await store.close();
  }

  it('loses and doubles nothing while it is killed and stands still', async () => {
    const port = String(await freePort());
    const signal = (name: NodeJS.Signals) => process.kill(Number(readFileSync(join(home, 'one', 'pid'), 'utf8')), name);
    const still = async () => {
      signal('SIGSTOP');
      await sleep(2_500);
      signal('SIGCONT');
    };
    await node('start', 'one', port);
    try {
      const url = `kurrentdb://127.0.0.1:${port}?tls=false`;
      await lives(url, [() => node('restart', 'one', port), still, () => node('restart', 'one', port)]);
    } finally {
      await node('kill', 'one', port);
    }
  });

  // Three nodes take minutes to elect on a machine that has other work: asked for by name.
  (process.env.MVS_TEST_EVENTSTORE_CLUSTER === '1' ? it : it.skip)(
    'loses and doubles nothing while a cluster loses its leader',
    async () => {
      const port = await freePort();
      await node('cluster', 'start', String(port));
      try {
        const url = (await node('cluster', 'url', String(port))).replace('esdb:', 'kurrentdb:');
        const address = parseAddress(url);
        const killLeader = async () => {
          const { leader = '' } = await leaderOf(address, 10_000);
          const which = String(address.nodes.indexOf(leader) + 1);
          await node('cluster', 'kill', which, String(port));
          await until(async () => ![undefined, leader].includes((await leaderOf(address, 1_000)).leader));
          await node('cluster', 'again', which, String(port));
        };
        await lives(url, [killLeader, killLeader]);
      } finally {
        for (const which of ['1', '2', '3']) await node('cluster', 'kill', which, String(port));
      }
    },
  );
});
