import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { endings } from '../../../../test/endings.js';
import { newEventId } from '../event-id.js';
import type { EventStore, NewEvent } from '../port.js';
import { openSqliteEventReader, openSqliteEventStore } from './store.js';

const SCRIPT = fileURLToPath(new URL('./test/writing-process.js', import.meta.url));
const event = (n = 0): NewEvent => ({
  id: newEventId(),
  type: 'Tested',
  version: 1,
  data: { n, text: 'payload'.repeat(20) },
});

let directory: string;
let log: string;
const children = new Set<ChildProcessWithoutNullStreams>();
const atEnd = endings();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-log-'));
  log = join(directory, 'events.db');
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  rmSync(directory, { recursive: true, force: true });
});

const opened = async () => atEnd(await openSqliteEventStore({ directory }), (store) => store.close());
const failure = (work: Promise<unknown>) =>
  work.then(
    () => ({ name: 'none', message: '' }),
    (error: Error) => ({ name: error.name, message: error.message }),
  );

/** Starts the writing process; `until` waits for a line of its output. */
function start(writers: number, bytes: number, wrap: string[] = []) {
  const [command, ...args] = [...wrap, process.execPath, SCRIPT, directory, String(writers), String(bytes)];
  const child = spawn(command, args);
  children.add(child);
  const lines: string[] = [];
  let rest = '';
  let check = () => {};
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    check();
  });
  const exited = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const until = (satisfied: (lines: string[]) => boolean) =>
    new Promise<void>((resolve) => {
      check = () => satisfied(lines) && resolve();
      check();
    });
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
    children.delete(child);
  };
  return { child, lines, until, kill, exited };
}

async function expectAcknowledged(store: EventStore, lines: string[]) {
  const acknowledged = lines.filter((line) => line.startsWith('writer-')).map((line) => line.split(' '));
  for (const stream of new Set(acknowledged.map(([stream]) => stream))) {
    const stored = await store.readStream(stream);
    expect(stored.map(({ data }) => data.n)).toEqual(stored.map((_, i) => i));
    const last = Math.max(...acknowledged.filter(([s]) => s === stream).map(([, n]) => Number(n)));
    expect(stored.length).toBeGreaterThan(last);
  }
}

describe('a killed owner', () => {
  it('leaves a log that holds all it had acknowledged, and no lock', async () => {
    const lines: string[] = [];
    for (let round = 0; round < 3; round++) {
      const writing = start(8, 2000);
      const enough = 50 + round * 171;
      await writing.until((seen) => seen.length > enough);
      await writing.kill();
      lines.push(...writing.lines);
    }
    const store = await opened();
    await expectAcknowledged(store, lines);
    await store.close();
  });

  it('leaves a torn tail behind at worst: opened up to the last whole commit', async () => {
    const writing = start(1, 2000);
    await writing.until((lines) => lines.length > 20);
    await writing.kill();
    const wal = `${log}-wal`;
    truncateSync(wal, statSync(wal).size - 3001);
    const store = await opened();
    const stored = await store.readStream('writer-0');
    expect(stored.map(({ data }) => data.n)).toEqual(stored.map((_, i) => i));
    expect(stored.length).toBeGreaterThan(15);
    await store.append('writer-0', [event(stored.length)], BigInt(stored.length - 1));
    await store.close();
  });
});

describe('a data directory', () => {
  it('has one owner; the second learns whose it is, at once and in one sentence', async () => {
    const store = await opened();
    expect(await failure(opened())).toEqual({
      name: 'LogInUse',
      message: expect.stringMatching(
        new RegExp(
          `^the data directory ${directory} is in use by process ${process.pid} since 20.*: stop it or choose`,
        ),
      ),
    });
    const second = start(1, 10);
    await second.exited;
    expect(second.child.exitCode).toBe(1);
    expect(second.lines).toEqual([
      expect.stringContaining(`LogInUse: the data directory ${directory} is in use by process ${process.pid}`),
    ]);
    // The refused ones have taken nothing from the owner.
    await store.append('a', [event()], 'no_stream');
    await store.close();
    await (await opened()).close();
  });

  it('that cannot be one is said so', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const inFile = await failure(openSqliteEventStore({ directory: join(file, 'sub') }));
    expect(inFile.name).toBe('StoreUnavailable');
    expect(inFile.message).toContain(`the data directory ${join(file, 'sub')} cannot be written`);
  });

  it('keeps the log from other users', async () => {
    await (await opened()).close();
    expect(statSync(log).mode & 0o077).toBe(0);
  });
});

describe('a damaged log', () => {
  /** Closed cleanly, so that all stands in the one file. */
  const written = async () => {
    const store = await opened();
    for (let i = 0; i < 40; i++)
      await store.append(
        `stream-${i}`,
        Array.from({ length: 10 }, (_, n) => event(n)),
        'no_stream',
      );
    await store.close();
    expect(statSync(`${log}-wal`).size).toBe(0);
  };
  const overwrite = (at: number, bytes: Buffer) => {
    const file = openSync(log, 'r+');
    writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
  };

  /** All copies: SQLite leaves stale ones in pages' free space. */
  const overwriteText = (text: string, by: string) => {
    const bytes = readFileSync(log);
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) overwrite(at, Buffer.from(by));
  };

  it.each([
    ['header', () => overwrite(0, Buffer.alloc(100, 0x5a))],
    ['root page', () => overwrite(100, Buffer.alloc(200, 0xff))],
    ['page in the middle', () => overwrite(Math.floor(statSync(log).size / 8192) * 4096, Buffer.alloc(4096, 0xa5))],
    ['cut end', () => truncateSync(log, Math.floor(statSync(log).size / 8192) * 4096)],
  ])('is refused with the way out: %s', async (_, damage) => {
    await written();
    damage();
    const refused = await failure(opened());
    expect(refused.name).toBe('LogCorrupt');
    expect(refused.message).toContain(`the event log ${log} is damaged`);
    expect(refused.message).toMatch(/put a copy of the whole directory back, or .* sqlite3 damaged.db .recover/);
    // Refusing it does not lock it.
    expect((await failure(opened())).name).toBe('LogCorrupt');
  });

  it('with a changed byte in an event is opened, and the stream of the event is refused', async () => {
    await written();
    overwriteText('{"n":7,', '{"n":8,');
    const store = await opened();
    expect((await failure(store.readStream('stream-3'))).message).toMatch(
      /^event 38 \(Tested in stream stream-3\) cannot be read: has a seal that does not fit/,
    );
    expect(store.seals.found.first).toMatchObject([{ position: 38n, stream: 'stream-3', revision: 7n }]);
    await store.close();
  });

  it.each([
    ['a trigger that lets rows vanish', 'CREATE TRIGGER gone BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END'],
    [
      'one that deletes them',
      'CREATE TRIGGER gone AFTER INSERT ON events BEGIN DELETE FROM events WHERE position = new.position; END',
    ],
    ['another table in its place', 'ALTER TABLE events ADD COLUMN more TEXT'],
    ['another index', 'DROP INDEX events_by_id; CREATE INDEX events_by_id ON events (id) WHERE revision < 0'],
  ])('is refused with %s', async (_, sql) => {
    await written();
    const db = new Database(log);
    db.exec(sql);
    db.close();
    expect((await failure(opened())).message).toMatch(
      /is damaged \(the (trigger gone|table events|index events_by_id) is not/,
    );
  });

  it.each([
    'BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END',
    'AFTER INSERT ON events BEGIN DELETE FROM events WHERE position = new.position; END',
  ])('acknowledges nothing that a trigger lets vanish while it is used: %s', async (trigger) => {
    await written();
    const store = await opened();
    await store.append('more', [event()], 'any');
    const db = new Database(log);
    db.exec(`CREATE TRIGGER gone ${trigger}`);
    expect(await failure(store.append('more', [event()], 'any'))).toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringContaining('kept 0 of 1 rows'),
    });
    db.exec('DROP TRIGGER gone');
    db.close();
    expect((await store.append('more', [event()], 'any')).revision).toBe(1n);
    expect(await store.readStream('more')).toHaveLength(2);
    await store.close();
  });

  it('that was emptied or removed is not taken for a new one', async () => {
    await written();
    copyFileSync(log, `${log}.copy`);
    truncateSync(log, 0);
    expect((await failure(opened())).message).toMatch(/is empty or gone: put a copy of the directory back/);
    rmSync(log);
    expect((await failure(opened())).message).toMatch(/is empty or gone/);
    copyFileSync(`${log}.copy`, log);
    const store = await opened();
    expect(await store.readStream('stream-7')).toHaveLength(10);
    await store.close();
  });
});

describe('a reader during the owner’s use', () => {
  it('sees what is committed as it comes and can write nothing', async () => {
    const writing = start(2, 100);
    await writing.until((lines) => lines.length > 10);
    const reader = atEnd(openSqliteEventReader({ directory }), (one) => one.close());
    const seen = new Map<string, number>();
    let caughtUp = false;
    await new Promise<void>((resolve, reject) => {
      reader.subscribe(
        {},
        {
          onDropped: reject,
          onEvent: ({ stream, data }) => {
            expect(data.n).toBe((seen.get(stream) ?? -1) + 1);
            seen.set(stream, data.n as number);
            if (caughtUp && (data.n as number) >= 300) resolve();
          },
          onCaughtUp: () => {
            caughtUp = true;
          },
        },
      );
    });
    expect(await reader.head()).toBeGreaterThan(300n);
    expect('append' in reader).toBe(false);
  });

  it('of no log says so', () => {
    expect(() => openSqliteEventReader({ directory })).toThrow(/no event log at/);
    expect(existsSync(log)).toBe(false);
  });
});

describe('a full disk', () => {
  const canLimit = spawnSync('prlimit', ['--version']).status === 0;
  // A limit on the size of files stands in for the disk's: writes beyond it fail the same way.
  (canLimit ? it : it.skip)(
    'refuses appends with StoreUnavailable and takes them again when there is space',
    async () => {
      const wrap = ['prlimit', '--fsize=600000:unlimited', 'sh', '-c', 'trap "" XFSZ; exec "$@"', 'sh'];
      const writing = start(4, 5000, wrap);
      await writing.until((lines) => lines.some((line) => line.startsWith('StoreUnavailable')));
      const full = writing.lines.length;
      await writing.until((lines) => lines.filter((line) => line.startsWith('StoreUnavailable')).length > 10);
      expect(spawnSync('prlimit', ['--pid', String(writing.child.pid), '--fsize=unlimited:unlimited']).status).toBe(0);
      await writing.until((lines) => lines.slice(full).filter((line) => line.startsWith('writer-')).length > 50);
      await writing.kill();
      expect(
        writing.lines.filter((line) => !/^(open|writer-\d+ \d+|StoreUnavailable: the event log .*)$/.test(line)),
      ).toEqual([]);
      const store = await opened();
      await expectAcknowledged(store, writing.lines);
      await store.close();
    },
  );
});
