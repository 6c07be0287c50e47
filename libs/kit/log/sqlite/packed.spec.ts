import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { UnreadableEvent } from '../port.js';
import { event } from '../test/support.js';
import { packed, unpacked } from './packed.js';
import { openSqliteEventStore } from './store.js';

const base64 = (length: number, value = 0xf7) => Buffer.alloc(length, value).toString('base64');
const VECTORS = { one: base64(1024), two: base64(1025, 0) };

describe('packed', () => {
  it('holds vectors as bytes, and gives the text back', () => {
    for (const data of [{ vectors: VECTORS }, { note: 'für', lines: Array(512).fill(base64(1026)) }]) {
      const text = JSON.stringify(data);
      const held = packed(text) as Buffer;
      expect(held.length).toBeLessThan(0.76 * text.length + 100);
      expect(unpacked(held)).toBe(text);
    }
  });

  it.each([
    ['short', JSON.stringify({ vector: base64(96) })],
    ['no base64', JSON.stringify({ text: 'a b'.repeat(200) })],
    ['base64 that bytes do not give back', JSON.stringify({ one: `${'A'.repeat(258)}`, two: `${'A'.repeat(258)}B=` })],
    ['a mark', `{"one":"\u00014\u0001","two":"${base64(1024)}"}`],
    ['a zero', `{"one":"\u0000","two":"${base64(1024)}"}`],
    ['half a character', `{"one":"\ud800","two":"${base64(1024)}"}`],
  ])('leaves %s as it is', (_, text) => {
    expect(packed(text)).toBe(text);
    expect(unpacked(text)).toBe(text);
  });

  it.each([
    ['no zero', Buffer.from('{"one":"\u000112\u0001"}')],
    ['too few bytes', Buffer.from('{"one":"\u0001900000000000000000000\u0001"}\u0000abc')],
    ['nothing', Buffer.alloc(0)],
    ['a number', 7],
    ['null', null],
  ])('makes some text of %s', (_, held) => expect(typeof unpacked(held)).toBe('string'));
});

it('reads rows that hold the text, as those of before, and finds changed bytes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mvs-packed-'));
  const file = join(directory, 'events.db');
  const made = Array.from({ length: 3 }, () => ({ ...event(), data: { vectors: VECTORS } }));
  const beside = (work: (db: Database.Database) => void) => {
    const db = new Database(file);
    work(db);
    db.close();
  };
  try {
    const store = await openSqliteEventStore({ directory });
    await store.append('a', made, 'no_stream');
    await store.close();
    beside((db) => {
      const types = db.prepare('SELECT typeof(data) FROM events ORDER BY position').raw().all();
      expect(types).toEqual([['blob'], ['blob'], ['blob']]);
      db.prepare('UPDATE events SET data = ? WHERE position = 2').run(JSON.stringify(made[1].data));
    });
    const again = await openSqliteEventStore({ directory });
    try {
      expect((await again.readStream('a')).map(({ data }) => data)).toEqual(made.map(({ data }) => data));
      await again.append('a', [event()], 2n);
      beside((db) =>
        db.exec("UPDATE events SET data = CAST(replace(data, '1024', '1023') AS BLOB) WHERE position = 3"),
      );
      await expect(again.readStream('a')).rejects.toThrow(UnreadableEvent);
      expect(await again.readStream('a', { limit: 2 })).toHaveLength(2);
    } finally {
      await again.close();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});
