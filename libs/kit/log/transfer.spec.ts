import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { newEventId } from './event-id.js';
import type { EventReader, EventStore, NewEvent } from './port.js';
import { openSqliteEventReader, openSqliteEventStore } from './sqlite/store.js';
import { checkExport, type ExportOptions, exportLog, importLog, linesOf } from './transfer.js';

let directory: string;
let store: EventStore;
let copies: EventStore[];
const fresh = async () => {
  const copy = await openSqliteEventStore({ directory: mkdtempSync(join(directory, 'log-')) });
  copies.push(copy);
  return copy;
};
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-transfer-'));
  copies = [];
  store = await fresh();
});
afterEach(async () => {
  for (const copy of copies) await copy.close();
  rmSync(directory, { recursive: true });
});

const event = (data: Record<string, unknown>, metadata?: NewEvent['metadata']): NewEvent => ({
  id: newEventId(),
  type: 'Tested',
  version: 3,
  data,
  metadata,
});
async function* given(lines: string[]) {
  yield* lines;
}
async function exported(from: EventReader, options?: ExportOptions) {
  const lines: string[] = [];
  for await (const line of exportLog(from, options)) lines.push(line);
  return lines;
}
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing',
    (error: Error) => `${error.name}: ${error.message}`,
  );

/** Streams that interleave, with whatever text JSON can hold. */
async function write(count: number) {
  const ends = new Map<string, bigint>();
  for (let i = 0; i < count; i++) {
    const stream = `stream-${(i * 7) % 5}`;
    const data = {
      i,
      text: `ä\u0000\ud83d\ude00 "${'x'.repeat(i % 13)}`,
      number: 0.1 * i,
      nested: [null, { 2: 1, 1: 2 }],
    };
    const metadata = i % 3 === 0 ? undefined : { zone: i, correlationId: 'c', a: 1 };
    const { revision } = await store.append(stream, [event(data, metadata)], ends.get(stream) ?? 'no_stream');
    ends.set(stream, revision);
  }
}

describe('an export', () => {
  it('of a log with an event that cannot be read fails, or has another in its place and imports', async () => {
    await write(12);
    const db = new Database(join(directory, readdirSync(directory)[0], 'events.db'));
    db.exec("UPDATE events SET data = '{' WHERE position = 6");
    db.close();
    const strict = openSqliteEventReader({ directory: join(directory, readdirSync(directory)[0]), strict: true });
    expect(await refusal(exported(strict))).toMatch(/^UnreadableEvent: event 6 [(]Tested in stream stream-0[)]/);
    const lines = await exported(strict, {
      inPlaceOf: ({ type }) => ({ type: 'Lost', version: 1, data: { type } }),
    });
    await strict.close();
    expect(JSON.parse(lines[6])).toMatchObject({
      stream: 'stream-0',
      revision: 1,
      type: 'Lost',
      data: { type: 'Tested' },
    });
    expect(await checkExport(given(lines))).toMatchObject({ events: 12 });
    const copy = await fresh();
    await importLog(given(lines), copy, { together: 256 });
    expect(await exported(copy)).toEqual(lines);
  });

  it('is the same text twice, and imports into a log that exports the same text', async () => {
    await write(40);
    const lines = await exported(store);
    expect(await exported(store)).toEqual(lines);
    expect(await checkExport(given(lines))).toMatchObject({ events: 40, streams: 5 });
    for (const together of [1, 7, 256]) {
      const copy = await fresh();
      expect(await importLog(given(lines), copy, { together })).toEqual({ present: 0, written: 40 });
      expect(await exported(copy)).toEqual(lines);
    }
  });

  it('of an empty log is one too', async () => {
    const lines = await exported(store);
    expect(await checkExport(given(lines))).toMatchObject({ events: 0, streams: 0 });
    expect(await importLog(given(lines), await fresh(), { together: 5 })).toEqual({ present: 0, written: 0 });
  });

  it('goes on where an interrupted import stopped', async () => {
    await write(30);
    const lines = await exported(store);
    const copy = await fresh();
    await importLog(given(lines.slice(0, 13)), copy, { together: 4 });
    expect(await importLog(given(lines), copy, { together: 4 })).toEqual({ present: 12, written: 18 });
    expect(await importLog(given(lines), copy, { together: 4 })).toEqual({ present: 30, written: 0 });
    expect(await exported(copy)).toEqual(lines);
  });

  it('is refused by a log that holds anything else, which stays as it is', async () => {
    await write(5);
    const lines = await exported(store);
    const other = await fresh();
    await other.append('other', [event({})], 'no_stream');
    const before = await exported(other);
    expect(await refusal(importLog(given(lines), other, { together: 9 }))).toMatch(
      /^BadExport: the log to import into holds other events than the export, first at position 1 .* into an empty one$/,
    );
    expect(await exported(other)).toEqual(before);
    await write(0);
    await store.append('more', [event({})], 'no_stream');
    expect(await refusal(importLog(given(lines), store, { together: 9 }))).toMatch(/first at position 6/);
  });

  it('has an event that says nothing in place of a row that was disowned', async () => {
    const from = mkdtempSync(join(directory, 'log-'));
    let log = await openSqliteEventStore({ directory: from });
    await log.append('held', [event({ n: 0 })], 'no_stream');
    const db = new Database(join(from, 'events.db'));
    db.exec(`INSERT INTO events (stream, revision, id, type, version, recorded_at, data, before, seal)
         VALUES ('held', 1, '${newEventId()}', 'Tested', 3, 0, '{}', '', '')`);
    db.close();
    const data = { rows: [{ position: '2', stream: 'held' }] };
    await log.append('log', [{ id: newEventId(), type: 'RowsDisowned', version: 1, data }], 'any');
    await log.append('held', [event({ n: 1 })], 1n);
    await log.close();
    log = await openSqliteEventStore({ directory: from });
    copies.push(log);
    const reader = openSqliteEventReader({ directory: from, strict: true });
    const lines = await exported(reader);
    await reader.close();
    expect(await checkExport(given(lines))).toMatchObject({ events: 3, streams: 1 });
    const copy = await fresh();
    expect(await importLog(given(lines), copy, { together: 9 })).toEqual({ present: 0, written: 3 });
    expect(await importLog(given(lines), copy, { together: 9 })).toEqual({ present: 3, written: 0 });
    expect((await copy.readStream('held')).map(({ type }) => type)).toEqual(['Tested', 'NoEvent', 'Tested']);
    expect(await exported(copy)).toEqual(lines);
  });

  it.each<[string, RegExp, (lines: string[]) => string[]]>([
    ['nothing', /is empty/, () => []],
    ['another text', /no export of events of a whole log/, () => ['a,b', '1,2']],
    ['one without its end', /was cut/, (lines) => lines.slice(0, -1)],
    ['one without an event', /line 7 .* has revision 1 of stream stream-2 where 0/, (lines) => lines.toSpliced(2, 1)],
    [
      'one in another order',
      /line 2 of the export has revision 1 of stream stream-0 where 0/,
      (lines) => [...lines.slice(0, 1), lines[6], ...lines.slice(2, 6), lines[1], ...lines.slice(7)],
    ],
    ['one without a last event', /promises 8 events/, (lines) => lines.toSpliced(-2, 1)],
    [
      'a changed event',
      /promises 8 events of another digest/,
      (lines) => lines.with(3, lines[3].replace('"i":2', '"i":3')),
    ],
    ['another order of fields', /line 2 .* not written as/, (lines) => lines.with(1, respelled(lines[1]))],
    ['no JSON', /line 4 .* no JSON/, (lines) => lines.with(3, '{"stream"')],
    ['no event', /line 4 .* no event/, (lines) => lines.with(3, '{"stream":1}')],
    [
      'no time',
      /line 4 .* no time/,
      (lines) => lines.with(3, lines[3].replace(/"recorded_at":"[^"]*"/, '"recorded_at":"x"')),
    ],
    ['a list', /line 4 .* no object/, (lines) => lines.with(3, '[]')],
    ['two in one', /line 11 .* after the last one/, (lines) => [...lines, lines[1]]],
  ])('is refused: %s', async (_, sentence, change) => {
    await write(8);
    expect(await refusal(checkExport(given(change(await exported(store)))))).toMatch(sentence);
  });
});

const respelled = (line: string) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));

describe('lines', () => {
  async function* cut(bytes: Uint8Array, size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const read = async (bytes: Uint8Array, size: number) => {
    const lines: string[] = [];
    for await (const line of linesOf(cut(bytes, size))) lines.push(line);
    return lines;
  };

  it('are the same however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.integer({ min: 1, max: 9 }),
        async (texts, size) => {
          const lines = texts.map((text) => `<${text.replaceAll('\n', '')}`);
          expect(await read(Buffer.from(lines.map((line) => `${line}\n`).join('')), size)).toEqual(lines);
        },
      ),
    );
  });

  it('are refused where they are no text or have no end', async () => {
    expect(await refusal(read(Uint8Array.of(0xff, 0x0a), 1))).toMatch(/BadExport: the export is no UTF-8/);
    expect(await refusal(read(Uint8Array.of(0xe2, 0x82), 2))).toMatch(/BadExport: the export is no UTF-8/);
    expect(await refusal(read(Buffer.alloc(8 << 20, 'a'), 1 << 20))).toMatch(/longer than any event/);
  });
});
