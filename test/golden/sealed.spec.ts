/** A log of before there were seals, of every version of every event, which an operator takes as it stands: mvs events seal. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { PROJECTIONS } from '#catalogue/projections';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import { markFile } from '#kit/log/high-water-mark';
import { withoutSeal } from '#kit/log/seal';
import { secretFile } from '#kit/log/sqlite/seals';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { handIn } from '#kit/log/sqlite/test/hand';
import { program } from '../programs.js';

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
  return { rows, isSealed: store.seals.isSealed, noEvents: store.seals.found.count };
}

it('gives the same rows of all views before and after, and as a log that was sealed from its beginning', async () => {
  const store = await openSqliteEventStore({ directory, upcast });
  for (const { stream, revision, ...event } of lines)
    await store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1));
  await store.close();
  const sealed = await rebuilt('sealed');
  expect(sealed).toMatchObject({ isSealed: true, noEvents: 0 });
  expect(sealed.rows.flat(2).length).toBeGreaterThan(100);

  const db = new Database(join(directory, 'events.db'));
  const hand = handIn(db);
  for (const { stream, revision } of lines) {
    const row = hand.read(stream, revision);
    const { metadata, seal } = withoutSeal(row.metadata);
    expect(seal).toBeDefined();
    hand.change({ ...row, metadata });
  }
  db.exec('PRAGMA user_version = 2');
  db.close();
  rmSync(secretFile(directory));
  rmSync(markFile(directory), { force: true });
  const before = await rebuilt('before');
  expect(before).toEqual({ ...sealed, isSealed: false });

  const reason = ['--operator', 'ada', '--reason', 'upgraded'];
  execFileSync(process.execPath, [program('mvs'), 'events', 'seal', '--data', directory, ...reason], {
    env: { ...process.env, MVS_LOG_SECRET: '', EVENTSTORE_URL: '' },
  });
  expect(await rebuilt('after')).toEqual(sealed);
});
