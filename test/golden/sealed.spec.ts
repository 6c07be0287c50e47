/** Logs of former releases, of every version of every event, which an operator takes as they stand: mvs events seal. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { PROJECTIONS } from '#catalogue/projections';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import { HighWaterMark, markedStore } from '#kit/log/high-water-mark';
import { secretFile } from '#kit/log/sqlite/seals';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { mvs as runMvs } from '../../apps/cli/test/mvs.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const golden = join(root, relative(join(root, 'dist'), here));
const directory = mkdtempSync(join(tmpdir(), 'mvs-taken-'));
afterAll(() => rmSync(directory, { recursive: true }));

const lines = readdirSync(golden)
  .filter((name) => name.endsWith('.ndjson'))
  .flatMap((file) => readFileSync(join(golden, file), 'utf8').trimEnd().split('\n'))
  .map((line) => JSON.parse(line))
  // The log's own story begins with the seals.
  .filter(({ stream }) => stream !== streams.log());

/** Rows of all views, made anew of the log as it stands, and what is known of its seals. */
async function rebuilt(name: string) {
  const store = await openSqliteEventStore({ directory, upcast });
  const views = join(directory, name);
  // What stands behind them is the operator's decision.
  await rebuildViews({ reader: store, projections: PROJECTIONS, directory: views, until: BigInt(lines.length) });
  const rows = PROJECTIONS.map((projection) => {
    const view = openView(views, projection)!;
    const lines = [...dumpView(view)];
    view.close();
    return [projection.name, lines];
  });
  await store.close();
  return { rows, damaged: store.seals.found.count };
}

/** The log as a former release left it: without a column for seals, and in format 3 with one of another form among the metadata. */
function makeFormer(format: number): void {
  const file = join(directory, 'events.db');
  const db = new Database(file);
  const seal = `json_set(coalesce(metadata, '{}'), '$.seal', '00ff00ff.0.' || substr(seal, 10))`;
  db.exec(`
    CREATE TABLE former (
      position INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL, revision INTEGER NOT NULL, id TEXT NOT NULL,
      type TEXT NOT NULL, version INTEGER NOT NULL, recorded_at INTEGER NOT NULL, checksum INTEGER NOT NULL,
      metadata TEXT, data TEXT NOT NULL, UNIQUE (stream, revision));
    INSERT INTO former SELECT position, stream, revision, id, type, version, recorded_at, 0,
      ${format === 3 ? seal : 'metadata'}, data FROM events;
    DROP TABLE events; DROP TABLE log; ALTER TABLE former RENAME TO events; PRAGMA user_version = ${format};`);
  db.close();
}

const mvs = (...args: string[]) =>
  runMvs(['events', ...args, '--data', directory], { env: { ...process.env, MVS_LOG_SECRET: '', EVENTSTORE_URL: '' } });
const seal = () => mvs('seal', '--operator', 'ada', '--reason', 'upgraded');

it.each([1, 2, 3])(
  'of format %i gives the same rows of all views as one that was sealed from its beginning',
  async (format) => {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
    const store = await openSqliteEventStore({ directory, upcast });
    for (const { stream, revision, ...event } of lines)
      await store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1));
    await store.close();
    const sealed = await rebuilt('sealed');
    expect(sealed).toMatchObject({ damaged: 0 });
    expect(sealed.rows.flat(2).length).toBeGreaterThan(100);

    makeFormer(format);
    rmSync(secretFile(directory));
    await expect(openSqliteEventStore({ directory, upcast })).rejects.toThrow(
      /was written by a release without today's seals: .* mvs events seal --operator NAME --reason "..."$/,
    );
    expect(await mvs('list')).toMatchObject({ code: 2, error: expect.stringMatching(/mvs events seal/) });
    expect((await seal()).out).toMatch(
      new RegExp(`^Sealed the log up to position ${lines.length}: ${lines.length} events`),
    );
    expect(await rebuilt('after')).toEqual(sealed);
    expect((await mvs('show', 'log')).out).toContain('"reason":"upgraded"');
    expect(existsSync(join(directory, 'events.db.before'))).toBe(true);
  },
);

it('from which another hand took every seal, and to which it added a key, is not taken: acknowledged.json tells', async () => {
  const mark = new HighWaterMark(directory, () => {});
  const store = markedStore(await openSqliteEventStore({ directory }), mark);
  mark.release();
  const counted = lines.find(({ type }) => type === 'RefusalsCounted')!;
  await store.append('edge', [{ ...counted, id: newEventId() }], 'any');
  await store.close();
  makeFormer(2);
  const { code, error } = await seal();
  expect([code, error]).toEqual([4, expect.stringMatching(/says that this log had seals, and its rows have none/)]);
  const db = new Database(join(directory, 'events.db'));
  expect(db.prepare('PRAGMA user_version').raw().get()).toEqual([2]);
  db.close();
});

it('whose secret is lost is sealed anew, and rows of another hand stay what they were', async () => {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
  const store = await openSqliteEventStore({ directory, upcast });
  const counted = lines.find(({ type }) => type === 'RefusalsCounted')!;
  for (let n = 0; n < 3; n++) await store.append('edge', [{ ...counted, id: newEventId() }], 'any');
  await store.append('model', [{ ...counted, id: newEventId() }], 'any');
  const [lost] = store.seals.ids;
  await store.close();
  const db = new Database(join(directory, 'events.db'));
  db.exec("UPDATE events SET seal = '' WHERE stream = 'model'");
  db.close();
  rmSync(secretFile(directory));
  expect((await mvs('list')).error).toContain(`--lost-secret ${lost}`);
  expect((await seal()).error).toContain(`--lost-secret ${lost}`);
  const taken = await mvs('seal', '--operator', 'ada', '--reason', 'the disk with it is gone', '--lost-secret', lost);
  expect(taken.out).toMatch(/^Sealed the log up to position 4: 3 events/);
  const { code, out } = await mvs('verify');
  expect([code, out]).toEqual([1, expect.stringMatching(/^event 4 .* of stream model\) has no seal/)]);
  expect((await mvs('disown', '--operator', 'ada', '--reason', 'seen')).out).toMatch(/Disowned 1 rows/);
  expect((await mvs('verify')).code).toBe(0);
});
