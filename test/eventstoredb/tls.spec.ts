import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { newEventId } from '#event-store';
import { openEventStoreDB } from '#event-store/eventstoredb';
import { endings } from '../endings.js';
import { startDouble } from './double.js';
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

/** Skipped by name where a newcomer's machine has no openssl; CI turns the lack into a failure. */
(installed || process.env.MVS_REQUIRE_SERVICES === '1' ? it : it.skip)(
  'honours TLS and credentials of the connection string',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-tls-'));
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(directory, name));
    const certificate =
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost ` +
      `-addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`;
    execFileSync('openssl', certificate.split(' '), { stdio: 'ignore' });
    atEnd(directory, (folder) => rmSync(folder, { recursive: true }));
    const double = await startDouble(openDoubleLog(join(directory, 'double.db')), {
      tls: { key: readFileSync(key), cert: readFileSync(cert) },
      credentials: 'ops:change it',
    });
    atEnd(double, (made) => made.close());
    const tried = async (user: string, query: string) => {
      const store = openEventStoreDB({
        connectionString: `esdb://${user}localhost:${double.port}?${query}`,
        answerWithinMs: 1_000,
      });
      try {
        await store.append('s-1', [{ id: newEventId(), type: 'Tested', version: 1, data: { n: 1 } }], 'any');
        await new Promise<void>((resolve, reject) => {
          store.subscribe({}, { onEvent: () => resolve(), onDropped: reject });
        });
        return (await store.readStream('s-1')).map(({ data }) => data.n);
      } catch (error) {
        return (error as Error).message;
      } finally {
        await store.close();
      }
    };
    const trusted = `tls=true&tlsCAFile=${cert}`;
    expect(await tried('ops:change%20it@', trusted)).toEqual([1]);
    expect(await tried('ops:guessed@', trusted)).toMatch('denies access');
    expect(await tried('', trusted)).toMatch('denies access');
    // A certificate that nobody vouches for.
    expect(await tried('ops:change%20it@', 'tls=true')).toMatch(/away|does not answer/);
  },
);
