/** What the one walk finds in a SQLite log that another hand or a disk has changed. */
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
import fc from 'fast-check';
import Database from 'libsql';
import { LogCheck, pauseAfter } from '#kit/log/check';
import { checkedFile, placeOf, readCheckedPlace, writeCheckedPlace } from '#kit/log/checked-place';
import type { LogCheckState, LogDamage } from '#kit/log/damage';
import { newEventId } from '#kit/log/event-id';
import { HighWaterMark, markedStore, markFile, readMark } from '#kit/log/high-water-mark';
import type { NewEvent } from '#kit/log/port';
import { holesOf } from '#kit/log/sqlite/order';
import { secretsOf } from '#kit/log/sqlite/seals';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { until } from '../../test/until.js';
import { logPass } from './log-passes.js';
import { walk } from './log-walk.js';

const EVENTS = 600;
const IN_THE_MIDDLE = EVENTS / 2;
const event = (data: Record<string, unknown> = {}): NewEvent => ({
  id: newEventId(),
  type: 'Tested',
  version: 1,
  data,
});

let directory: string;
let log: string;
let ids: string[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-walk-'));
  log = join(directory, 'events.db');
  const events = Array.from({ length: EVENTS }, (_, n) => event({ n, text: `event ${n} ${'payload'.repeat(20)}` }));
  ids = events.map(({ id }) => id);
  const store = await openSqliteEventStore({ directory });
  await Promise.all(events.map((one, n) => store.append(`stream-${n % 7}`, [one], 'any')));
  await store.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Works on the file beside the service. */
function beside<T>(work: (db: Database.Database) => T, of = directory): T {
  const db = new Database(join(of, 'events.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}
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
/** Places and problems, in the order in which they are told. */
async function found(of = directory): Promise<[position: string, problem: string][]> {
  const reader = openSqliteEventReader({ directory: of, strict: true });
  const all: [string, string][] = [];
  try {
    for await (const { rows, damage } of walk(reader, { directory: of }))
      for (const { position, problem } of [...rows, ...damage]) all.push([String(position), problem]);
    return all;
  } finally {
    await reader.close();
  }
}
function holes(of = directory, accepted: { from: bigint; to: bigint }[] = []) {
  return holesOf(of, secretsOf(of), accepted);
}

it('finds nothing in a sound log, step by step to its end', async () => {
  const reader = openSqliteEventReader({ directory, strict: true });
  const checked: bigint[] = [];
  for await (const step of walk(reader, { directory })) {
    checked.push(step.checked);
    expect([step.head, step.rows, step.damage]).toEqual([BigInt(EVENTS), [], []]);
  }
  await reader.close();
  expect(checked).toEqual([256n, 512n, BigInt(EVENTS)]);
});

describe('an event that is gone', () => {
  it('is named by its place, but where that was accepted', async () => {
    beside((db) => db.exec('DELETE FROM events WHERE position IN (10, 11, 500)'));
    expect((await found()).filter(([, problem]) => /does not follow/.test(problem))).toEqual([
      ['12', 'it does not follow the event before it: what stood at 10 to 11 is gone'],
      ['501', 'it does not follow the event before it: what stood at 500 is gone'],
    ]);
    expect(await holes(directory, [{ from: 10n, to: 11n }])).toEqual([{ from: 500n, to: 500n }]);
    const store = await openSqliteEventStore({ directory });
    await store.append('more', [event()], 'any');
    await store.close();
    expect(await holes()).toHaveLength(2);
  });

  it('is named wherever it stood: alone, or with its whole stream', async () => {
    const gone = fc.oneof(
      fc.uniqueArray(fc.integer({ min: 1, max: EVENTS - 1 }), { minLength: 1, maxLength: 9 }),
      fc.nat(6).map((n) => Array.from({ length: EVENTS - 1 }, (_, i) => i + 1).filter((at) => (at - 1) % 7 === n)),
    );
    let copies = 0;
    await fc.assert(
      fc.asyncProperty(gone, fc.boolean(), async (places, closed) => {
        const copy = join(directory, `copy-${copies++}`);
        mkdirSync(copy);
        for (const file of ['events.db', 'log.secret']) copyFileSync(join(directory, file), join(copy, file));
        beside((db) => {
          db.exec(`DELETE FROM events WHERE position IN (${places.join()})`);
          if (!closed) return;
          // Those behind it move up, and the next place is that of the last one that is left.
          const rows = db.prepare('SELECT position FROM events ORDER BY position').raw().all() as [number][];
          const move = db.prepare('UPDATE events SET position = ? WHERE position = ?');
          for (const [i, [position]] of rows.entries()) move.run(i + 1, position);
          db.exec('UPDATE sqlite_sequence SET seq = (SELECT max(position) FROM events)');
        }, copy);
        const named = await holes(copy);
        if (closed) expect(named).toHaveLength(places.filter((at) => !places.includes(at - 1)).length);
        else
          expect(
            named.flatMap(({ from, to }) => Array.from({ length: Number(to - from) + 1 }, (_, i) => Number(from) + i)),
          ).toEqual(places.sort((a, b) => a - b));
      }),
      { numRuns: 12 },
    );
  });

  it('is named where it was the newest that was acknowledged', async () => {
    const store = await openSqliteEventStore({ directory });
    const mark = new HighWaterMark(directory, () => {});
    const marked = markedStore(store, mark);
    await marked.append('more', [event()], 'any');
    await mark.flush();
    expect(readMark(directory)).toBeUndefined();
    mark.release();
    await marked.close();
    expect([await found(), readMark(directory)]).toMatchObject([[], { position: BigInt(EVENTS + 1), sealed: true }]);
    beside((db) =>
      db.exec(`DELETE FROM events WHERE position > ${EVENTS}; UPDATE sqlite_sequence SET seq = ${EVENTS}`),
    );
    expect(await found()).toEqual([[String(EVENTS + 1), 'the newest event that was acknowledged is gone']]);
    writeFileSync(markFile(directory), '{"mvs_acknowledged":2}');
    await expect(found()).rejects.toThrow(/acknowledged\.json, .* cannot be used \(lacks it\.position\): put a copy/);
  });
});

describe('a changed row', () => {
  it('is named by its place, whichever of its columns it is', async () => {
    const columns = ['stream', 'id', 'type', 'data', 'before', 'seal'].map((name) => `${name} = ${name} || 'x'`);
    const changes = [...columns, 'revision = 7777', 'version = 2', 'recorded_at = 1', "metadata = '{}'"];
    beside((db) => {
      for (const [i, change] of changes.entries())
        db.exec(`UPDATE events SET ${change} WHERE position = ${100 + 10 * i}`);
    });
    const damaged = await found();
    for (const i of changes.keys())
      expect([changes[i], damaged.some(([position]) => position === String(100 + 10 * i))]).toEqual([changes[i], true]);
    expect(damaged.filter(([, problem]) => /seal/.test(problem))).toHaveLength(changes.length);
  });

  it('at a place below 1 is named, and so is what it leaves', async () => {
    beside((db) => db.exec('UPDATE events SET position = -3 WHERE position = 2'));
    expect((await found()).map(([position]) => position)).toEqual(['-3', '3']);
  });

  it('is named wherever its id was changed: in its row, or in the index', async () => {
    const places = placesOf(ids[IN_THE_MIDDLE]);
    expect(places.length).toBeGreaterThanOrEqual(2);
    const problems: string[] = [];
    for (const at of places) {
      const before = readFileSync(log).subarray(at, at + 1);
      overwrite(at, Buffer.from(before[0] === 48 ? '1' : '0'));
      problems.push(...(await found()).map(([, problem]) => problem));
      overwrite(at, before);
    }
    expect(problems).toContainEqual(expect.stringMatching(/^has a seal that does not fit/));
    expect(problems).toContainEqual(
      expect.stringMatching(/^the file is damaged: row \d+ missing from index events_by_id/),
    );
    expect(await found()).toEqual([]);
  });

  it('is named where a page of the file was written over', async () => {
    const PAGE = 4096;
    const [at] = placesOf(`event ${IN_THE_MIDDLE} payload`);
    overwrite(PAGE * Math.floor(at / PAGE), new Uint8Array(100).fill(255));
    expect((await found()).map(([, problem]) => problem)).toContainEqual(
      expect.stringMatching(/^(a page of the file cannot be read|the file is damaged)/),
    );
  });
});

describe('the thread', () => {
  const checking = (onEnd: (state: LogCheckState, reported: LogDamage[]) => void) => {
    const reported: LogDamage[] = [];
    return new LogCheck({
      pass: logPass({ directory, secrets: secretsOf(directory) }),
      onDamage: (damage) => void reported.push(damage),
      onDamagedRow: () => {},
      onEnd: (state) => onEnd(state, reported),
    });
  };
  const checked = () =>
    new Promise<[LogCheckState, LogDamage[]]>((resolve) => {
      checking((...ended) => resolve(ended)).start();
    });

  it('says that the log is sound, while its owner goes on writing', async () => {
    const store = await openSqliteEventStore({ directory });
    const ending = checked();
    for (let n = 0; n < 20; n++) await store.append('more', [event({ n })], 'any');
    const [state, reported] = await ending;
    expect([state.status, state.checked === state.head, state.damaged, reported]).toEqual(['sound', true, 0, []]);
    await store.close();
  });

  it('keeps each damaged row', async () => {
    for (const n of [300, 301]) overwrite(placesOf(`event ${n} payload`)[0], new Uint8Array(100).fill(65));
    const [state] = await checked();
    expect(state).toMatchObject({ status: 'damaged', checked: String(EVENTS), damaged: 2 });
    expect(state.damage.map(({ position }) => position)).toEqual(['301', '302']);
  });

  describe('that a stop interrupts', () => {
    /** Notes the place of the event at a position, as a check does that is ended there. */
    const noteAt = async (position: bigint) => {
      const reader = openSqliteEventReader({ directory });
      for await (const at of reader.readAll({ after: position - 1n, limit: 1 }))
        writeCheckedPlace(directory, { mvs_checked: 1, event: placeOf(at), whole_at: null });
      await reader.close();
    };

    it('goes on where it was, to the end and then from the beginning, and begins anew after that', async () => {
      const check = checking(() => {});
      check.start();
      await until(async () => check.state.checked !== null);
      await check.close();
      const { event } = readCheckedPlace(directory);
      expect(Number(event?.position)).toBeGreaterThanOrEqual(256);
      const [state] = await checked();
      expect(state).toMatchObject({ status: 'sound', checked: String(EVENTS), resumed_at: event?.position });
      expect(readCheckedPlace(directory)).toEqual({ mvs_checked: 1, event: null, whole_at: state.whole_at });
      expect((await checked())[0]).toMatchObject({ status: 'sound', resumed_at: null });
    });

    it('finds what was changed or is gone on either side of the place, whichever place was noted', async () => {
      beside((db) =>
        db.exec("UPDATE events SET data = '{}' WHERE position = 30; DELETE FROM events WHERE position = 20"),
      );
      for (const place of [100n, BigInt(EVENTS)]) {
        await noteAt(place);
        const [state] = await checked();
        expect(state).toMatchObject({
          status: 'damaged',
          checked: String(EVENTS),
          resumed_at: String(place),
          damaged: 2,
        });
        expect(state.damage.map(({ position }) => position).sort()).toEqual(['21', '30']);
      }
      // A place is not noted behind damage: the next check comes upon it first.
      beside((db) => db.exec("UPDATE events SET data = '{}' WHERE position = 310"));
      await noteAt(300n);
      expect((await checked())[0].damage.map(({ position }) => position)).toEqual(['310', '30', '21']);
      expect(readCheckedPlace(directory).event?.position).toBe('300');
    });

    it('begins with the first event where the log does not hold the noted one, or nothing can be read', async () => {
      await noteAt(100n);
      const { event } = readCheckedPlace(directory);
      for (const file of [
        { ...event, digest: '0'.repeat(64) },
        { ...event, position: '599' },
        { ...event, revision: '9999' },
        1,
      ]) {
        writeFileSync(checkedFile(directory), JSON.stringify({ mvs_checked: 1, event: file, whole_at: null }));
        expect((await checked())[0]).toMatchObject({ status: 'sound', checked: String(EVENTS), resumed_at: null });
      }
    });
  });

  it('takes a tenth of a core at first, then a hundredth, and more where the whole would take over a week', () => {
    const [minutes, week] = [10 * 60_000, 7 * 24 * 3600_000];
    expect(pauseAfter(10, 1 / 100, 1000)).toBe(90);
    expect(pauseAfter(10, 1 / 100, minutes)).toBe(990);
    expect(pauseAfter(10, 500 / week, minutes)).toBe(490);
    expect(pauseAfter(10, 1 / week, minutes)).toBe(90);
  });

  it('says why it could not go on', async () => {
    rmSync(log);
    const [state] = await checked();
    expect(state).toMatchObject({ status: 'failed', checked: null, reason: expect.stringMatching(/^no event log at/) });
  });

  it('ends when it is closed, and reports nothing more', async () => {
    let ended = false;
    const check = checking(() => {
      ended = true;
    });
    check.start();
    await check.close();
    expect([check.state.status, ended]).toEqual(['running', false]);
  });
});
