import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { streams } from '#domain/streams';
import { Findings } from '#findings/queries';
import { newEventId } from '#kit/log/event-id';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { fileName } from '#kit/views/files';
import { ViewFile } from '#kit/views/view-file';
import { type ClaimQuery, Ledger } from '#records/queries-ledger';
import { generateStreams } from '../../test/streams.js';
import { PROJECTIONS } from './projections.js';
import { dumpView, openView, rebuildViews } from './rebuild.js';
import { upcast } from './upcast.js';

let directory: string;
let store: EventStore;
let made = 0;
/** Given: none lies beside the log. */
const secrets = ['a secret of the seals that no file beside the log has'];
const events = [...generateStreams(250, 3)];
/** A rebuild of all of it, which no test changes. */
let whole: Awaited<ReturnType<typeof rebuilt>>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-rebuild-'));
  store = await openSqliteEventStore({ directory: join(directory, 'log'), secrets, upcast });
  // All in one tick: the log keeps their order.
  await Promise.all(
    events.map(({ stream, revision, ...event }) =>
      store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1)),
    ),
  );
  whole = await rebuilt();
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const rebuilt = async (options: { until?: bigint | Date; batch?: number; log?: string; secrets?: string[] } = {}) => {
  const into = join(directory, `views-${made++}`);
  const outcome = await rebuildViews({ reader: store, projections: PROJECTIONS, directory: into, ...options });
  return { into, ...outcome };
};
const dump = (folder: string) =>
  PROJECTIONS.flatMap((projection) => {
    const view = openView(folder, projection)!;
    const lines = [...dumpView(view)];
    view.close();
    return [projection.name, ...lines];
  });
const open = (folder: string) => {
  const [ledger, findings] = ['ledger', 'findings'].map(
    (name) => openView(folder, PROJECTIONS.find((one) => one.name === name)!)!,
  );
  return {
    ledger: new Ledger(ledger, new Findings(findings)),
    close: () => [ledger, findings].forEach((view) => void view.close()),
  };
};

describe('a rebuild', () => {
  it('gives the same views whatever the batching, and so does the service', async () => {
    expect(whole).toMatchObject({ position: BigInt(events.length), events: events.length });
    const expected = dump(whole.into);
    expect(expected.length).toBeGreaterThan(1000);
    expect(new Set(expected.map((line) => line.slice(0, 20))).size).toBeGreaterThan(8);
    for (const batch of [1, 7, 1e6]) expect(dump((await rebuilt({ batch })).into)).toEqual(expected);
  });

  it('on two threads gives the same views, whole and up to any moment', async () => {
    const log = join(directory, 'log');
    for (const until of [undefined, 500n, events[400].recordedAt]) {
      const one = until === undefined ? whole : await rebuilt({ until });
      const two = await rebuilt({ until, log, secrets });
      expect([two.position, two.events]).toEqual([one.position, one.events]);
      expect(dump(two.into)).toEqual(dump(one.into));
      expect(readdirSync(two.into)).toHaveLength(PROJECTIONS.length);
    }
  });

  it('leaves nothing but the views', async () => {
    const { into } = whole;
    expect(readdirSync(into).toSorted()).toEqual(readdirSync(into).filter((name) => name.endsWith('.db')));
    expect(readdirSync(into)).toHaveLength(PROJECTIONS.length);
  });

  it('up to a position goes on to the same views as one without a stop', async () => {
    const { into } = await rebuilt({ until: 500n });
    const views = PROJECTIONS.map((projection) => new ViewFile(projection, into));
    for (const { position } of views) expect(position).toBe(500n);
    const then = dump(into);
    const reading = PROJECTIONS.map((projection) => openView(into, projection)!);
    for await (const event of store.readAll({ after: 500n })) for (const view of views) view.take(event);
    for (const view of views) view.close();
    // A reader that has begun goes on reading the rows of its beginning.
    for (const { position } of reading) expect(position).toBe(500n);
    expect(PROJECTIONS.flatMap(({ name }, i) => [name, ...dumpView(reading[i])])).toEqual(then);
    for (const view of reading) view.close();
    expect(dump(into)).toEqual(dump(whole.into));
  });

  it('replaces all views or, where another has one open, none', async () => {
    const { into } = await rebuilt({ until: 10n });
    const other = () => readFileSync(join(into, fileName(PROJECTIONS[0])));
    const before = other();
    const hold = () => {
      const held = new Database(join(into, fileName(PROJECTIONS[1])));
      held.exec('PRAGMA journal_mode = WAL; SELECT * FROM checkpoint');
      return held;
    };
    const again = (onProgress?: () => void) =>
      rebuildViews({ reader: store, projections: PROJECTIONS, directory: into, onProgress });
    const inUse = /is in use: stop the service, or choose another directory/;
    const first = hold();
    await expect(again()).rejects.toThrow(inUse);
    first.close();
    // The service is started meanwhile.
    let second: ReturnType<typeof hold> | undefined;
    await expect(
      again(() => {
        second ??= hold();
      }),
    ).rejects.toThrow(inUse);
    second?.close();
    expect(other().equals(before)).toBe(true);
    expect(readdirSync(into)).not.toContain('rebuilding');
    await again();
    expect(dump(into)).toEqual(dump(whole.into));
  });
});

describe('the ledger as of a moment', () => {
  const queries: Partial<ClaimQuery>[] = [
    {},
    { status: 'unfinished' },
    { status: 'scored', key: 'lab-a' },
    { verdict: 'MATCH' },
    { verdict: 'NO_MATCH', population: 'lab-a' },
    { label: 'match' },
    { label: 'no_match' },
    { label: 'none', reject_target: '0.98' },
    { finding: 'probing' },
    { finding: 'multi_pass' },
    { reference: 'R17' },
  ];

  it('answers as a rebuild up to it does, also where clocks stepped back', async () => {
    const { ledger, close } = open(whole.into);
    const times = events.map(({ recordedAt }) => recordedAt.getTime());
    const backwards = times.flatMap((time, i) => (i > 0 && time < times[i - 1] ? [time, time + 1, times[i - 1]] : []));
    expect(backwards.length).toBeGreaterThan(3);
    const moments = [times[0] - 1, times[40], ...backwards.slice(0, 9), times[700], times[times.length - 1] + 60_000];
    const seen = new Set<string>();
    for (const time of moments) {
      const { into, position } = await rebuilt({ until: new Date(time) });
      const then = open(into);
      expect(BigInt(ledger.positionAt(new Date(time)))).toBe(position);
      const asOf = Number(position);
      for (const query of queries) {
        const answer = ledger.claims({ limit: 1000, ...query, asOf }).items;
        expect(answer).toEqual(then.ledger.claims({ limit: 1000, ...query }).items);
        if (answer.length > 0) seen.add(JSON.stringify(query));
      }
      then.close();
    }
    expect(seen.size).toBe(queries.length);
    close();
  });

  it('pages as a listing does', async () => {
    const { ledger, close } = open(whole.into);
    const all = ledger.claims({ limit: 1000, asOf: 600 }).items;
    const paged = [];
    for (let cursor: string | undefined; ; ) {
      const { items, next_cursor } = ledger.claims({ limit: 37, cursor, asOf: 600 });
      paged.push(...items);
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    expect(paged).toEqual(all);
    expect(all.length).toBeGreaterThan(100);
    close();
  });
});

describe('a poisoned event', () => {
  it('stops a rebuild, which leaves nothing, until an operator has let it pass', async () => {
    const log = await openSqliteEventStore({ directory: join(directory, 'poisoned'), upcast });
    const into = join(directory, 'poisoned-views');
    const again = (until?: bigint | Date) =>
      rebuildViews({ reader: log, projections: PROJECTIONS, directory: into, until });
    const [first] = events;
    await log.append(first.stream, [first], 'no_stream');
    await log.append('edge', [{ id: newEventId(), type: 'Odd', version: 1, data: {} }], 'no_stream');
    await expect(again()).rejects.toThrow('stopped at position 2 (Odd in stream edge): unknown type or version 1');
    expect(readdirSync(into)).toEqual([]);
    // A row that was broken by hand is damage and no event: nothing stops at it, until it is as it was.
    const written = (data: string) => {
      const db = new Database(join(directory, 'poisoned', 'events.db'));
      db.prepare('UPDATE events SET data = ? WHERE position = 2').run(data);
      db.close();
    };
    written('{');
    expect(await again()).toEqual({ position: 2n, events: 1 });
    written('{}');
    await expect(again()).rejects.toThrow('stopped at position 2 (Odd in stream edge): unknown type or version 1');
    // A rebuild up to a moment before it does not come to it.
    for (const until of [1n, first.recordedAt]) expect(await again(until)).toEqual({ position: 1n, events: 1 });
    const skip = {
      position: '2',
      stream: 'edge',
      type: 'Odd',
      reason: 'a test',
      operator: 'anna',
      request_id: 'r',
      at: 'now',
    };
    await log.append('views', [{ id: newEventId(), type: 'ViewSkipped', version: 1, data: skip }], 'no_stream');
    expect(await again()).toEqual({ position: 3n, events: 3 });
    await log.close();
  });

  it.each([
    ['the one', ['FindingReviewed', 'WorkspaceCreated']],
    ['the other', ['WorkspaceCreated', 'FindingReviewed']],
  ])('on two threads is the earlier one where each meets its own: %s', async (_, types) => {
    const folder = mkdtempSync(join(directory, 'two-'));
    const log = await openSqliteEventStore({ directory: join(folder, 'log'), upcast });
    const into = join(folder, 'views');
    for (const type of types) {
      const [stream, data] =
        type === 'WorkspaceCreated'
          ? [streams.workspace('ws'), { workspace: { id: 'ws', name: {} } }]
          : [streams.finding('fnd'), { finding_id: 'fnd', claims: {} }];
      await log.append(stream, [{ id: newEventId(), type, version: 1, data }], 'no_stream');
    }
    const again = (more: { log?: string; until?: bigint } = {}) =>
      rebuildViews({ reader: log, projections: PROJECTIONS, directory: into, ...more });
    const { message } = (await again().catch((error: Error) => error)) as Error;
    expect(message).toContain(`stopped at position 1 (${types[0]} in stream`);
    await expect(again({ log: join(folder, 'log') })).rejects.toMatchObject({
      name: 'PoisonedEvent',
      message,
      position: 1n,
    });
    expect(readdirSync(into)).toEqual([]);
    await log.close();
  });
});
