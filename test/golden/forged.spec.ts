import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import Database from 'libsql';
import { walk } from '#audit/log-walk';
import { PopulationLadders } from '#calibration/queries-ladders';
import { PROJECTIONS } from '#catalogue/projections';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { type Data, dataOf, EVENT_TYPES } from '#catalogue/test/arbitrary';
import { upcast } from '#catalogue/upcast';
import { newEventId } from '#kit/log/event-id';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { isNoEvent } from '#kit/log/port';
import type { SealedStore } from '#kit/log/seal';
import { holesOf } from '#kit/log/sqlite/order';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { handIn as handInFile } from '#kit/log/sqlite/test/hand';
import type { OtherHand } from '#kit/log/test/forgery';
import { LOG_SECRET, startDouble } from '../eventstoredb/double.js';
import { handIn as handInDouble } from '../eventstoredb/hand.js';
import { openDoubleLog } from '../eventstoredb/log.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const golden = join(root, relative(join(root, 'dist'), here));

interface Line {
  stream: string;
  revision: number;
  type: string;
}

/** Each event that was ever written, as a log of the service's own. */
const lines = readdirSync(golden)
  .filter((name) => name.endsWith('.ndjson'))
  .flatMap((file) => readFileSync(join(golden, file), 'utf8').trimEnd().split('\n'))
  .map((line) => JSON.parse(line))
  // The log's own story tells of the log that it stands in.
  .filter(({ stream }) => stream !== 'log');

const TYPES = EVENT_TYPES.filter((type) => lines.some((line) => line.type === type));

interface Opened {
  store: SealedStore;
  reopen(): Promise<SealedStore>;
  hand: OtherHand;
  close(): Promise<void>;
}

const STORES: [name: string, open: (directory: string) => Promise<Opened>][] = [
  [
    'SQLite',
    async (directory) => {
      const store = await openSqliteEventStore({ directory, upcast });
      const db = new Database(join(directory, 'events.db'), { timeout: 5 } as Database.Options);
      const reopen = async () => {
        await store.close();
        return openSqliteEventStore({ directory, upcast });
      };
      return { store, reopen, hand: handInFile(db), close: async () => void db.close() };
    },
  ],
  [
    'EventStoreDB (protocol double)',
    async (directory) => {
      const file = join(directory, 'double.db');
      const { connectionString, close } = await startDouble(openDoubleLog(file));
      const opened = () => openEventStoreDB({ secrets: [LOG_SECRET], connectionString, upcast, awayWithinMs: 60_000 });
      const store = opened();
      const db = new Database(file, { timeout: 5 } as Database.Options);
      return {
        store,
        reopen: async () => {
          await store.close();
          return opened();
        },
        hand: handInDouble(db),
        close: async () => {
          db.close();
          await close();
        },
      };
    },
  ],
];

describe.each(STORES)('every event of the catalogue, in %s', (name, open) => {
  const sqlite = name === 'SQLite';
  const directory = mkdtempSync(join(tmpdir(), 'mvs-forged-'));
  const names = [...new Set(lines.map(({ stream }) => stream as string))];
  let log: Opened;
  let rebuilt = 0;
  let end: bigint | undefined;
  beforeAll(async () => {
    log = await open(directory);
    for (const { stream, revision, ...event } of lines)
      await log.store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1));
  });
  afterAll(async () => {
    await log.store.close();
    await log.close();
    rmSync(directory, { recursive: true });
  });

  /** All that answers are made of: streams, the ladders and scorers in force, and the rows of every view. */
  async function answers() {
    const { store } = log;
    const streams = await Promise.all(names.map((name) => store.readStream(name)));
    const scorers = { load: async () => undefined as never };
    const ladders = new PopulationLadders({ store, scorers, figures: { at: async () => undefined } });
    const populations = [...new Set(streams.flat().map(({ data }) => data.population))].map(String);
    const views = join(directory, `views-${rebuilt++}`);
    // What stands behind it is an operator's decision about the log.
    end ??= await store.head();
    await rebuildViews({ reader: store, projections: PROJECTIONS, directory: views, until: end });
    return {
      streams: streams.map((events) =>
        events.filter((event) => !isNoEvent(event)).map(({ position: _, recordedAt, ...event }) => event),
      ),
      ladders: await Promise.all(populations.map(async (population) => (await ladders.read(population)).state)),
      views: PROJECTIONS.map((projection) => {
        const view = openView(views, projection)!;
        const rows = [...dumpView(view)];
        view.close();
        return [projection.name, rows];
      }),
    };
  }

  it('refuses streams with rows by another hand, names those, and gives its answers once they are disowned', async () => {
    const { store, hand } = log;
    const sound = await answers();
    const ends = new Map(names.map((name) => [name, lines.filter(({ stream }) => stream === name).length]));
    const [first] = names;
    const stolen = hand.read(first, 0);
    const forged = new Set<string>();
    const forge = (stream: string, type: string, data: Data, sealed: boolean) => {
      const revision = ends.get(stream) as number;
      ends.set(stream, revision + 1);
      hand.write({
        ...{ stream, revision, id: newEventId(), type, version: 1, recordedAt: Date.now() },
        ...{ metadata: null, data: JSON.stringify(data), seal: sealed ? stolen.seal : null, before: stolen.before },
      });
      forged.add(stream);
    };
    const made = fc.tuple(...TYPES.map((type) => fc.tuple(dataOf(type), fc.nat(), fc.boolean())));
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const [one] = fc.sample(made, { numRuns: 1, seed });
        for (const [i, type] of TYPES.entries()) {
          const [data, at, sealed] = one[i];
          // Beside events of its own type: the data of one of them, under which its stream is known, with what is made up.
          const own = lines.filter((line) => line.type === type);
          const line = own[at % own.length];
          forge(line.stream, type, { ...line.data, ...(at % 2 === 0 && data) }, sealed);
        }
        for (const name of names) {
          if (!forged.has(name)) expect(await store.readStream(name)).toHaveLength(ends.get(name) as number);
          else await expect(store.readStream(name)).rejects.toMatchObject({ name: 'UnreadableEvent', stream: name });
        }
      }),
      { numRuns: 1, endOnFailure: true },
    );
    // A stream that is refused names its first damaged row, a reading of the log all of them.
    for await (const _ of store.readAll());
    const { count, first: found } = store.seals.found;
    expect([count, new Set(found.map(({ stream }) => stream))]).toEqual([TYPES.length, forged]);
    const rows = found.map(({ position, stream }) => ({ position: String(position), stream }));
    const data = { rows, operator: 'ada', reason: 'seen', at: new Date().toISOString() };
    await store.append('log', [{ id: newEventId(), type: 'RowsDisowned', version: 1, data }], 'any');
    log.store = await log.reopen();
    expect(await answers()).toEqual(sound);
    expect(log.store.seals.found.count).toBe(0);
  });

  it('names each event that is taken out: one of each type', async () => {
    const { store, hand } = log;
    // The newest event that was acknowledged is missed by its own record; an EventStoreDB shows no other end of a stream.
    const last = lines.find(({ type }) => type === 'RefusalsCounted')!;
    await store.append(last.stream, [{ ...last, id: newEventId() }], 'any');
    const goesOn = ({ stream, revision }: Line) =>
      lines.some((l) => l.stream === stream && l.revision === revision + 1);
    const taken = TYPES.flatMap((type) => {
      const [first, ...others] = lines.filter((line) => line.type === type && (sqlite || goesOn(line)));
      return others.at(-1) ?? first ?? [];
    });
    expect(taken.length).toBeGreaterThan(sqlite ? TYPES.length - 1 : 15);
    const places = new Map<Line, bigint>();
    for (const line of taken) {
      const [{ position }] = await store.readStream(line.stream, { from: BigInt(line.revision), limit: 1 });
      places.set(line, position);
    }
    for (const { stream, revision } of taken) hand.remove(stream, revision);
    /** Revisions of a stream that are not there. */
    const gaps: { stream: string | null; from: number; to: number }[] = [];
    for await (const { damage } of walk(store)) {
      for (const { stream, problem } of damage) {
        const [, next, from] = /^has revision ([0-9]+) where ([0-9]+) comes next$/.exec(problem) ?? [];
        if (next !== undefined) gaps.push({ stream, from: Number(from), to: Number(next) });
      }
    }
    const gone = sqlite ? await holesOf(directory, store.seals.given, []) : [];
    const unnamed = taken.filter((line) => {
      const at = places.get(line) as bigint;
      if (gone.some(({ from, to }) => from <= at && at <= to)) return false;
      return !gaps.some(
        ({ stream, from, to }) => stream === line.stream && from <= line.revision && line.revision < to,
      );
    });
    expect(unnamed.map(({ stream, revision, type }) => [stream, revision, type])).toEqual([]);
  });
});
