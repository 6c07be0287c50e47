/**
 * The adapter on real servers that are killed, stand still, lose their leader and speak TLS: where a server is beside the clone and
 * ESDB_HOME names a folder for its nodes (`.ci/run` does); skipped by name elsewhere.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newEventId } from '#kit/log/event-id';
import { parseAddress } from '#kit/log/eventstoredb/address';
import { leaderOf } from '#kit/log/eventstoredb/gossip';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { type EventStore, StoreUnavailable } from '#kit/log/port';
import { root } from '../client/packed.js';
import { endings } from '../endings.js';
import { freePort } from '../ports.js';
import { until } from '../until.js';
import { LOG_SECRET } from './double.js';

const script = resolve(root, '../shared/eventstoredb/node.sh');
const { ESDB_HOME: home = '', EVENTSTORE_URL: _, ...environment } = process.env;
const atEnd = endings();

(home ? describe : describe.skip)('a real EventStoreDB', () => {
  const node = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('bash', [script, ...args], {
      env: { ...environment, ESDB_HOME: home },
    });
    return stdout.trim();
  };

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

  /** What a store on this address reads back after writing, or its error. */
  async function said(connectionString: string): Promise<string> {
    const store = openEventStoreDB({ secrets: [LOG_SECRET], connectionString });
    try {
      await store.append('s-1', [{ id: newEventId(), type: 'Tested', version: 1, data: { n: 1 } }], 'any');
      await new Promise<void>((resolve, reject) => {
        store.subscribe({}, { onEvent: () => resolve(), onDropped: reject });
      });
      return String((await store.readStream('s-1'))[0].data.n);
    } catch (error) {
      return (error as Error).message;
    } finally {
      await store.close();
    }
  }

  /** Holds what is read and what a subscription gave to what was acknowledged, while all this happens. */
  async function lives(connectionString: string, incidents: (() => Promise<unknown>)[]): Promise<void> {
    const store = atEnd(openEventStoreDB({ secrets: [LOG_SECRET], connectionString }), (one) => one.close());
    const given: number[] = [];
    const subscription = store.subscribe(
      { streamPrefixes: ['s-0'] },
      { onEvent: ({ data }) => void given.push(data.n as number) },
    );
    const writers = Array.from({ length: 4 }, (_, i) =>
      atEnd(writing(store, `s-${i}`), ({ stop }) => stop().catch(() => {})),
    );
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

  it('loses and doubles nothing while a cluster loses its leader', async () => {
    const port = await freePort();
    await node('cluster', 'start', String(port));
    try {
      const url = (await node('cluster', 'url', String(port))).replace('esdb:', 'kurrentdb:');
      const address = parseAddress(url);
      // A former leader that comes back with events which nobody acknowledged ends itself, and is to be started again.
      const answers = (which: number) =>
        until(() =>
          node('cluster', 'again', String(which), String(port)).then(
            () => true,
            () => false,
          ),
        );
      const killLeader = async () => {
        // Nodes that live do not agree on a leader yet.
        let leader: string | undefined;
        await until(async () => {
          leader = (await leaderOf(address, 10_000)).leader;
          return leader !== undefined;
        });
        const killed = address.nodes.indexOf(leader as string) + 1;
        await node('cluster', 'kill', String(killed), String(port));
        await until(async () => {
          for (const which of [1, 2, 3]) if (which !== killed) await answers(which);
          return ![undefined, leader].includes((await leaderOf(address, 1_000)).leader);
        });
        await answers(killed);
      };
      await lives(url, [killLeader, killLeader]);
    } finally {
      for (const which of ['1', '2', '3']) await node('cluster', 'kill', which, String(port));
    }
  });

  it('speaks TLS, and tells a wrong password, a right that is missing and a certificate that is not trusted', async () => {
    const folder = join(home, 'tls');
    const [ca, key, cert] = ['ca/ca.crt', 'key.pem', 'cert.pem'].map((name) => join(folder, name));
    mkdirSync(join(folder, 'ca'), { recursive: true });
    const certificate =
      'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=eventstoredb-node -addext subjectAltName=DNS:localhost,IP:127.0.0.1 ' +
      `-addext extendedKeyUsage=serverAuth,clientAuth -keyout ${key} -out ${cert}`;
    execFileSync('openssl', certificate.split(' '), { stdio: 'ignore' });
    execFileSync('cp', [cert, ca]);
    const [port, replicationPort] = [await freePort(), await freePort()];
    const options = `--run-projections=None --disable-admin-ui --node-ip 127.0.0.1 --node-port ${port} --replication-ip 127.0.0.1 \
      --replication-port ${replicationPort} --db ${folder}/db --log ${folder}/log --certificate-file ${cert} \
      --certificate-private-key-file ${key} --trusted-root-certificates-path ${folder}/ca`;
    const settings = { EVENTSTORE_TELEMETRY_OPTOUT: 'true', DOTNET_ROLL_FORWARD: 'Major' };
    const bin = join(home, 'bin');
    const server = spawn(join(bin, 'EventStore.ClusterNode'), options.split(/[\s\\]+/), {
      cwd: bin,
      env: { ...environment, ...settings },
      stdio: 'ignore',
    });
    atEnd(server, (one) => one.kill('SIGKILL'));
    const says = (address: string, what: RegExp) =>
      until(async () => what.test(await said(`${address.replace('PORT', String(port))}`)));
    const trusted = `localhost:PORT?tls=true&tlsCAFile=${cert}`;
    await says(`kurrentdb://admin:changeit@${trusted}`, /^1$/);
    await says(`esdb://admin:guessed@${trusted}`, /user or password is not right/);
    await says(`esdb://ops:changeit@${trusted}`, /denies access: its user may not/);
    await says('esdb://admin:changeit@localhost:PORT?tls=true', /certificate is not trusted/);
    await says('esdb://admin:changeit@localhost:PORT?tls=false', /may speak TLS alone/);
  });
});
