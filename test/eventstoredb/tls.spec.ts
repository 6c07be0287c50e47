import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { newEventId } from '#kit/log/event-id';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { endings } from '../endings.js';
import { StartedProgram } from '../programs.js';
import { until } from '../until.js';
import { LOG_SECRET, startDouble } from './double.js';
import { openDoubleLog } from './log.js';

const installed = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const atEnd = endings();

const removed = (folder: string) => rmSync(folder, { recursive: true, force: true });

const PAIR = 'ops:change it';

/** A server with a certificate of its own for this name, in a folder that goes with it. */
async function secured(name: string) {
  const directory = atEnd(mkdtempSync(join(tmpdir(), 'mvs-tls-')), removed);
  const [key, cert] = ['key.pem', 'cert.pem'].map((file) => join(directory, file));
  const certificate =
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name} ` +
    `-addext subjectAltName=DNS:${name},IP:127.0.0.1 -keyout ${key} -out ${cert}`;
  execFileSync('openssl', certificate.split(' '), { stdio: 'ignore' });
  const tls = { key: readFileSync(key), cert: readFileSync(cert) };
  const double = await startDouble(openDoubleLog(join(directory, 'double.db')), {
    tls,
    credentials: PAIR,
    admin: 'admin:changeit',
  });
  return { cert, double: atEnd(double, (made) => made.close()) };
}

/** The events that a store on this connection string reads back after writing, or its error. */
async function tried(connectionString: string): Promise<number | string> {
  const store = openEventStoreDB({ secrets: [LOG_SECRET], connectionString, awayWithinMs: 1_000 });
  try {
    await store.append('s-1', [{ id: newEventId(), type: 'Tested', version: 1, data: { n: 1 } }], 'any');
    await new Promise<void>((resolve, reject) => {
      store.subscribe({}, { onEvent: () => resolve(), onDropped: reject });
    });
    return (await store.readStream('s-1'))[0].data.n as number;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await store.close();
  }
}
/** A busy machine may need more than one try to hear anything at all. */
const says = (connectionString: string, what: RegExp) =>
  until(async () => what.test(String(await tried(connectionString))));

/** Skipped by name where a newcomer's machine has no openssl; CI turns the lack into a failure. */
const inCi = installed || process.env.MVS_REQUIRE_SERVICES === '1' ? it : it.skip;

describe('a server with TLS', () => {
  inCi('honours TLS, credentials and the rights of the user in the connection string', async () => {
    const { cert, double } = await secured('localhost');
    const trusted = `localhost:${double.port}?tls=true&tlsCAFile=${cert}`;
    // The client sends credentials over TLS alone.
    await says(`esdb://ops:change%20it@${trusted}`, /denies access: its user may not .*read \$all/);
    const admin = EventStoreDBClient.connectionString(`esdb://admin:changeit@${trusted}`);
    // As docs/operate/eventstoredb.md has it.
    await admin.setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'ops'] } });
    await admin.dispose();
    await says(`esdb://ops:change%20it@${trusted}`, /^1$/);
    await says(`esdb://ops:guessed@${trusted}`, /user or password is not right/);
    await says(`esdb://${trusted}`, /user or password is not right/);
  });

  inCi('tells each mistake with TLS as what it is, of one server and of a cluster', async () => {
    const { cert, double } = await secured('localhost');
    const other = await secured('elsewhere.example');
    const open = atEnd(await startDouble(openDoubleLog(':memory:')), (made) => made.close());
    for (const nodes of [1, 2]) {
      const on = (port: number, query: string) =>
        `esdb://ops:change%20it@${Array.from({ length: nodes }, () => `localhost:${port}`)}?${query}`;
      await says(on(double.port, `tls=true&tlsCAFile=${cert}`), /denies access: its user may not/);
      await says(on(double.port, 'tls=true'), /certificate is not trusted: self-signed/);
      await says(on(double.port, 'tls=true&tlsVerifyCert=false'), /denies access: its user may not/);
      await says(on(double.port, 'tls=false'), /may speak TLS alone/);
      await says(on(other.double.port, `tls=true&tlsCAFile=${other.cert}`), /certificate is for another name/);
      await says(on(open.port, 'tls=true'), /does not speak TLS/);
    }
    expect(() =>
      openEventStoreDB({ secrets: [LOG_SECRET], connectionString: 'esdb://localhost?tlsCAFile=/none.pem' }),
    ).toThrow(/^tlsCAFile of EventStoreDB's connection string: ENOENT/);
  });

  inCi('says no password, whatever the address, and Node has nothing to warn of', async () => {
    const { cert, double } = await secured('localhost');
    const pair = 'ops:a%20secret%20word';
    const addresses = [
      `kurrentdb://${pair}@127.0.0.1:${double.port}?tls=true&tlsVerifyCert=false`,
      `esdb+discover://${pair}@127.0.0.1:${double.port}?tlsVerifyCert=false`,
      `kurrentdb+discover://${pair}@127.0.0.1:${double.port}?tlsCAFile=${cert}`,
      `esdb://${pair}@localhost:${double.port}`,
      `esdb://${pair}@localhost:${double.port}?tls=false`,
      `esdb://${pair}@localhost:1?tlsCAFile=/none.pem`,
      `postgres://${pair}@localhost:1`,
      `esdb://${pair}@`,
    ];
    const settings = { MVS_LOG_SECRET: LOG_SECRET, MVS_LOG_LEVEL: 'trace', PORT: '0' };
    for (const [i, EVENTSTORE_URL] of addresses.entries()) {
      const env = {
        ...settings,
        EVENTSTORE_URL,
        MVS_DATA_DIR: atEnd(mkdtempSync(join(tmpdir(), 'mvs-said-')), removed),
      };
      const command = StartedProgram.start('mvs', env, ['events', 'verify']);
      expect(await command.ended()).not.toBe(0);
      const outputs = [command.output];
      // The service opens the log by the same means, and takes longer to start.
      if (i === 0) {
        const server = StartedProgram.start('server', env);
        await Promise.race([server.ended(), server.says('"msg":"serving"')]);
        await server.end();
        outputs.push(server.output);
      }
      for (const said of outputs) {
        expect(said).not.toBe('');
        expect(said).not.toMatch(/secret( |%20)word|b3BzOmEgc2VjcmV0IHdvcmQ|DEP0123|Warning/);
      }
    }
  });
});
