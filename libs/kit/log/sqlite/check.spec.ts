import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import Database from 'libsql';
import { LogCheck } from '../check.js';
import type { LogCheckState, LogDamage } from '../damage.js';
import { newEventId } from '../event-id.js';
import { HighWaterMark, markedStore, markFile, readMark } from '../high-water-mark.js';
import type { NewEvent } from '../port.js';
import { bytesPass, checkSteps } from './check.js';
import { holesOf, leaveOut } from './holes.js';
import { WINDOW } from './reader.js';
import { openSqliteEventReader, openSqliteEventStore } from './store.js';

const EVENTS = 3 * WINDOW + 40;
const LET_PASS = 'let-pass';
let directory: string;
let log: string;
let ids: string[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-check-'));
  log = join(directory, 'events.db');
  const events = Array.from({ length: EVENTS }, (_, n): NewEvent => {
    const data = { n, text: `event ${n} ${'payload'.repeat(20)}` };
    return { id: newEventId(), type: 'Tested', version: 1, data };
  });
  ids = events.map(({ id }) => id);
  const store = await openSqliteEventStore({ directory });
  await Promise.all(events.map((event, n) => store.append(`stream-${n % 7}`, [event], 'any')));
  await store.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Writes over the file. */
function overwrite(at: number, bytes: Uint8Array): void {
  const file = openSync(log, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}
/** Places of a text in the file. */
function placesOf(text: string): number[] {
  const bytes = readFileSync(log);
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) found.push(at);
  return found;
}
const damage = (letPass?: string): LogDamage[] =>
  [...checkSteps({ directory, letPass })].flatMap(({ damage }) => damage);
const IN_THE_MIDDLE = Math.floor(EVENTS / 2);

/** Works on the file beside the service. */
function beside<T>(work: (db: Database.Database) => T): T {
  const db = new Database(log);
  try {
    return work(db);
  } finally {
    db.close();
  }
}
/** Gives rows the checksums that former releases wrote. */
function makeFormer(from: number, upTo: number): void {
  beside((db) => {
    const rows = db.prepare('SELECT * FROM events WHERE position BETWEEN ? AND ?').all(from, upTo) as StoredRow[];
    const set = db.prepare('UPDATE events SET checksum = ? WHERE position = ?');
    db.exec('BEGIN');
    for (const { position, stream, revision, id, type, version, metadata, data } of rows)
      set.run(crc32([stream, revision, id, type, version, metadata ?? '', data].join('\n')), position);
    db.exec('COMMIT');
  });
}
interface StoredRow {
  position: number;
  stream: string;
  revision: number;
  id: string;
  type: string;
  version: number;
  recorded_at: number;
  checksum: number;
  metadata: string | null;
  data: string;
}
const sums = () => beside((db) => db.prepare('SELECT checksum FROM events ORDER BY position').raw().all());
const format = () => beside((db) => db.prepare('PRAGMA user_version').raw().get());

describe('an event that is gone', () => {
  it('is named by its place, but where that was accepted', async () => {
    beside((db) => db.exec('DELETE FROM events WHERE position IN (10, 11, 500)'));
    const at = (position: string, problem: string) => ({ position, stream: null, revision: null, type: null, problem });
    expect(damage()).toEqual([
      at('10', 'the events that stood here to 11 are gone'),
      at('500', 'the event that stood here is gone'),
    ]);
    expect(holesOf(directory, [{ from: 10n, to: 500n }])).toEqual({ end: BigInt(EVENTS), missing: 0, holes: [] });
    expect(holesOf(directory, [{ from: 11n, to: 11n }])).toMatchObject({
      missing: 2,
      holes: [{ from: 10n, to: 10n }, { from: 500n, to: 500n }], // biome-ignore format: short
    });
    expect(leaveOut(directory, BigInt(EVENTS))).toBeGreaterThan(BigInt(EVENTS));
    const store = await openSqliteEventStore({ directory });
    const { position } = await store.append(
      'more',
      [{ id: newEventId(), type: 'Tested', version: 1, data: {} }],
      'any',
    );
    await store.close();
    expect(holesOf(directory, [])).toMatchObject({ end: position, holes: { length: 3 } });
  });

  it('is named wherever it stood: alone, at the end, or with its whole stream', () => {
    const gone = fc.oneof(
      fc.uniqueArray(fc.integer({ min: 1, max: EVENTS }), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: EVENTS }).map((from) => Array.from({ length: EVENTS + 1 - from }, (_, i) => from + i)),
      fc.nat(6).map((n) => Array.from({ length: EVENTS }, (_, i) => i + 1).filter((at) => (at - 1) % 7 === n)),
    );
    let copies = 0;
    fc.assert(
      fc.property(gone, (places) => {
        const copy = join(directory, `copy-${copies++}`);
        mkdirSync(copy);
        for (const file of ['events.db', 'log.secret']) copyFileSync(join(directory, file), join(copy, file));
        const db = new Database(join(copy, 'events.db'));
        db.exec(`DELETE FROM events WHERE position IN (${places.join()})`);
        db.close();
        const { missing, holes } = holesOf(copy, []);
        expect(missing).toBe(places.length);
        const named = holes.flatMap(({ from, to }) =>
          Array.from({ length: Number(to - from) + 1 }, (_, i) => Number(from) + i),
        );
        expect(named).toEqual(places.sort((a, b) => a - b));
        expect([...checkSteps({ directory: copy })].flatMap((step) => step.damage)).toHaveLength(holes.length);
      }),
      { numRuns: 12 },
    );
  });

  it('is named where it was the newest that was acknowledged', async () => {
    const store = await openSqliteEventStore({ directory });
    const mark = new HighWaterMark(directory, () => {});
    const marked = markedStore(store, mark);
    await marked.append('more', [{ id: newEventId(), type: 'Tested', version: 1, data: {} }], 'any');
    await mark.flush();
    expect(readMark(directory)).toBeUndefined();
    mark.release();
    await marked.close();
    expect([damage(), readMark(directory)?.position]).toEqual([[], BigInt(EVENTS + 1)]);
    beside((db) =>
      db.exec(`DELETE FROM events WHERE position > ${EVENTS}; UPDATE sqlite_sequence SET seq = ${EVENTS}`),
    );
    const problem = 'the newest event that was acknowledged is gone';
    expect(damage()).toEqual([{ position: String(EVENTS + 1), stream: 'more', revision: 0, type: null, problem }]);
    writeFileSync(markFile(directory), '{"mvs_acknowledged":1}');
    expect(() => damage()).toThrow(
      /acknowledged\.json, .* cannot be used \(lacks it\.position\): put a copy of it back/,
    );
  });
});

describe('a look through the log', () => {
  it('goes through all of it, window by window, and finds nothing in a sound one', () => {
    const steps = [...checkSteps({ directory })];
    expect(steps.map(({ checked }) => checked)).toEqual([WINDOW, 2 * WINDOW, 3 * WINDOW, EVENTS]);
    expect(steps.every(({ head, damage }) => head === EVENTS && damage.length === 0)).toBe(true);
  });

  it('names the event whose text was written over', () => {
    const [at] = placesOf(`event ${IN_THE_MIDDLE} payload`);
    overwrite(at, new Uint8Array(100).fill(65));
    expect(damage()).toEqual([
      {
        position: String(IN_THE_MIDDLE + 1),
        stream: `stream-${IN_THE_MIDDLE % 7}`,
        revision: Math.floor(IN_THE_MIDDLE / 7),
        type: 'Tested',
        problem: 'its bytes are not those that were written',
      },
    ]);
  });

  it('names the event wherever its id was changed: in its row, or in the index', () => {
    const places = placesOf(ids[IN_THE_MIDDLE]);
    expect(places.length).toBeGreaterThanOrEqual(2);
    const problems = places.map((at) => {
      const before = readFileSync(log).subarray(at, at + 1);
      overwrite(at, Buffer.from(before[0] === 48 ? '1' : '0'));
      const found = damage();
      overwrite(at, before);
      // In an index that is out of order, some of its neighbours are not found either.
      const named = found.find(({ position }) => position === String(IN_THE_MIDDLE + 1));
      return named?.problem;
    });
    // A page of an index that was split may keep, beyond what it holds, a copy that means nothing.
    expect(new Set(problems.filter((problem) => problem !== undefined))).toEqual(
      new Set(['its bytes are not those that were written', 'an index of the log does not lead to it']),
    );
    expect(damage()).toEqual([]);
  });

  it('names those that a damaged page took, and goes on behind it', () => {
    const PAGE = 4096;
    const [at] = placesOf(`event ${IN_THE_MIDDLE} payload`);
    overwrite(PAGE * Math.floor(at / PAGE), new Uint8Array(100).fill(255));
    const found = damage();
    const positions = found.map(({ position }) => Number(position));
    expect(positions).toContain(IN_THE_MIDDLE + 1);
    expect(Math.max(...positions)).toBeLessThan(EVENTS);
    expect(found.find(({ position }) => Number(position) === IN_THE_MIDDLE + 1)?.problem).toMatch(
      /page .* cannot be read/,
    );
    overwrite(placesOf(`event ${EVENTS - 20} payload`)[0], new Uint8Array(100).fill(65));
    expect(damage().map(({ position }) => position)).toContain(String(EVENTS - 19));
  });

  it('passes over what an operator has let pass', async () => {
    const position = String(IN_THE_MIDDLE + 1);
    const data = { position, stream: `stream-${IN_THE_MIDDLE % 7}` };
    const store = await openSqliteEventStore({ directory });
    await store.append(LET_PASS, [{ id: newEventId(), type: 'Passed', version: 1, data }], 'any');
    await store.close();
    overwrite(placesOf(`event ${IN_THE_MIDDLE} payload`)[0], new Uint8Array(100).fill(65));
    expect(damage().map(({ position }) => position)).toEqual([position]);
    expect(damage(LET_PASS)).toEqual([]);
  });
});

describe("a row's time", () => {
  it('is covered by its checksum', () => {
    beside((db) => db.exec('UPDATE events SET recorded_at = recorded_at + 1 WHERE position = 300'));
    expect(damage()).toMatchObject([{ position: '300', problem: 'its bytes are not those that were written' }]);
  });

  it('is not covered in the rows of former releases, which stay as they are and valid', async () => {
    makeFormer(1, EVENTS);
    beside((db) => db.exec('PRAGMA user_version = 1'));
    const before = sums();
    expect(damage()).toEqual([]);
    const reader = openSqliteEventReader({ directory });
    expect(await reader.readStream('stream-0')).toHaveLength(Math.ceil(EVENTS / 7));
    await reader.close();
    expect(format()).toEqual([1]);

    const store = await openSqliteEventStore({ directory });
    await store.append('stream-0', [{ id: newEventId(), type: 'Tested', version: 1, data: {} }], 'any');
    await store.close();
    expect([format(), sums().slice(0, EVENTS)]).toEqual([[3], before]);
    expect(damage()).toEqual([]);
    beside((db) => db.exec(`UPDATE events SET recorded_at = 0 WHERE position IN (5, ${EVENTS + 1})`));
    expect(damage().map(({ position }) => position)).toEqual([String(EVENTS + 1)]);
  });

  it('cannot be uncovered behind a row that covers its own', () => {
    makeFormer(1, 300);
    expect(damage()).toEqual([]);
    makeFormer(500, 500);
    makeFormer(EVENTS, EVENTS);
    const problem = 'its checksum leaves out its time, though earlier ones cover theirs';
    expect(damage()).toMatchObject([
      { position: '500', problem },
      { position: String(EVENTS), problem },
    ]);
  });
});

it('an event below position 1 is damage, and its stream is refused', async () => {
  beside((db) => db.exec('UPDATE events SET position = -3 WHERE position = 1'));
  const problem = 'its position is below 1, where the log writes none';
  const gone = 'the event that stood here is gone';
  expect(damage()).toEqual([
    { position: '-3', stream: 'stream-0', revision: 0, type: 'Tested', problem },
    { position: '1', stream: null, revision: null, type: null, problem: gone },
  ]);
  const reader = openSqliteEventReader({ directory });
  await expect(reader.readStream('stream-0')).rejects.toMatchObject({ name: 'UnreadableEvent', reason: problem });
  await reader.close();
});

describe('the thread', () => {
  const checked = () =>
    new Promise<[LogCheckState, LogDamage[]]>((resolve) => {
      const reported: LogDamage[] = [];
      const onDamage = (damage: LogDamage) => void reported.push(damage);
      const onEnd = (state: LogCheckState) => resolve([state, reported]);
      new LogCheck({ passes: [bytesPass({ directory })], onDamage, onUnsealed: () => {}, onEnd }).start();
    });

  it('says that the log is sound, while its owner goes on writing', async () => {
    const store = await openSqliteEventStore({ directory });
    const ending = checked();
    for (let n = 0; n < 20; n++)
      await store.append('more', [{ id: newEventId(), type: 'Tested', version: 1, data: { n } }], 'any');
    const [state, reported] = await ending;
    expect([state.status, state.checked === state.head, state.damaged, reported]).toEqual(['sound', true, 0, []]);
    await store.close();
  });

  it('reports each damage, and keeps it', async () => {
    for (const n of [300, 301]) overwrite(placesOf(`event ${n} payload`)[0], new Uint8Array(100).fill(65));
    const [state, reported] = await checked();
    expect(state).toMatchObject({ status: 'damaged', checked: String(EVENTS), damaged: 2, damage: reported });
    expect(reported.map(({ position }) => position)).toEqual(['301', '302']);
  });

  it('says why it could not go on', async () => {
    rmSync(log);
    const [state] = await checked();
    expect(state).toMatchObject({ status: 'failed', checked: null, reason: expect.stringMatching(/^no event log at/) });
  });

  it('ends when it is closed, and reports nothing more', async () => {
    let ended = false;
    const check = new LogCheck({
      passes: [bytesPass({ directory })],
      onDamage: () => {},
      onUnsealed: () => {},
      onEnd: () => {
        ended = true;
      },
    });
    check.start();
    await check.close();
    expect([check.state.status, ended]).toEqual(['running', false]);
  });
});
