/** The same with calls of two replicas, who know of each other by the log alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestService } from '../../apps/server/test/fixture.js';
import { type Double, LOG_SECRET, startDouble } from '../../test/eventstoredb/double.js';
import { openDoubleLog } from '../../test/eventstoredb/log.js';
import { CLAIMS, revokeOften, UNBOUNDED } from './test/revocation.js';

const ROUNDS = 10;

let folder: string;
let double: Double;
const replicas: TestService[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-revocation-'));
  double = await startDouble(openDoubleLog(join(folder, 'double.db')));
  const environment = { ...UNBOUNDED, EVENTSTORE_URL: double.connectionString, MVS_LOG_SECRET: LOG_SECRET };
  for (let n = 0; n < 2; n++) replicas.push(await TestService.startWithoutKey(environment));
});
afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  await double?.close();
  rmSync(folder, { recursive: true, force: true });
});

it(`stands before every answer of its key that comes later, ${ROUNDS} times with ${CLAIMS} calls in flight`, () =>
  revokeOften(replicas, ROUNDS));
