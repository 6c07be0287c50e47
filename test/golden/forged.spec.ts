import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import Database from 'libsql';
import { LogWalk } from '#audit/log-walk';
import { PopulationLadders } from '#calibration/queries-ladders';
import { PROJECTIONS } from '#catalogue/projections';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { type Data, dataOf, EVENT_TYPES } from '#catalogue/test/arbitrary';
import { upcast } from '#catalogue/upcast';
import type { OtherHand } from '#kit/log/conformance/forgery';
import { newEventId } from '#kit/log/event-id';
import { openEventStoreDB } from '#kit/log/eventstoredb/store';
import { readThrough } from '#kit/log/read-through';
import type { SealedStore } from '#kit/log/seal';
import { holesOf } from '#kit/log/sqlite/holes';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { handIn as handInFile } from '#kit/log/sqlite/test/hand';
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
  .map((line) => JSON.parse(line));

interface Opened {
  store: SealedStore;
  hand: OtherHand;
  close(): Promise<void>;
}

const STORES: [name: string, logs: number, open: (directory: string) => Promise<Opened>][] = [
  [
    'SQLite',
    2,
    async (directory) => {
      const store = await openSqliteEventStore({ directory, upcast });
      const db = new Database(join(directory, 'events.db'), { timeout: 5 } as Database.Options);
      return { store, hand: handInFile(db), close: async () => void db.close() };
    },
  ],
  [
    'EventStoreDB (protocol double)',
    1,
    async (directory) => {
      const file = join(directory, 'double.db');
      const { connectionString, close } = await startDouble(openDoubleLog(file));
      const store = openEventStoreDB({ secrets: [LOG_SECRET], connectionString, upcast, awayWithinMs: 60_000 });
      const db = new Database(file, { timeout: 5 } as Database.Options);
      return {
        store,
        hand: handInDouble(db),
        close: async () => {
          db.close();
          await close();
        },
      };
    },
  ],
];

describe.each(STORES)('every event of the catalogue, in %s', (name, logs, open) => {
  const sqlite = name === 'SQLite';
  const directory = mkdtempSync(join(tmpdir(), 'mvs-forged-'));
  const names = [...new Set(lines.map(({ stream }) => stream as string))];
  let log: Opened;
  let rebuilt = 0;
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
    await rebuildViews({ reader: store, projections: PROJECTIONS, directory: views });
    return {
      streams: streams.map((events) => events.map(({ position: _, recordedAt, ...event }) => event)),
      ladders: await Promise.all(populations.map((population) => ladders.read(population))),
      views: PROJECTIONS.map((projection) => {
        const view = openView(views, projection)!;
        const rows = [...dumpView(view)];
        view.close();
        return [projection.name, rows];
      }),
    };
  }

  it('gives the answers that it gives without rows by another hand, which are named', async () => {
    const { store, hand } = log;
    const sound = await answers();
    const ends = new Map(names.map((name) => [name, lines.filter(({ stream }) => stream === name).length]));
    const [first] = names;
    const stolen = hand.read(first, 0);
    let forged = 0;
    const forge = (stream: string, type: string, data: Data, sealed: boolean) => {
      const revision = ends.get(stream) as number;
      ends.set(stream, revision + 1);
      hand.write({
        ...{ stream, revision, id: newEventId(), type, version: 1, recordedAt: Date.now() },
        ...{ metadata: sealed ? stolen.metadata : null, data: JSON.stringify(data) },
      });
      forged++;
    };
    const rows = fc.tuple(...EVENT_TYPES.map((type) => fc.tuple(dataOf(type), fc.nat(), fc.boolean())));
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const [made] = fc.sample(rows, { numRuns: 1, seed });
        for (const [i, type] of EVENT_TYPES.entries()) {
          const [data, at, sealed] = made[i];
          // Beside events of its own type: the data of one of them, under which its stream is known, with what is made up.
          const own = lines.filter((line) => line.type === type);
          const line = own[at % own.length];
          forge(line.stream, type, { ...line.data, ...(at % 2 === 0 && data) }, sealed);
        }
        expect(await answers()).toEqual(sound);
      }),
      { numRuns: logs, endOnFailure: true },
    );
    expect(store.seals.found.count).toBe(forged);
  });

  it('names each event that is taken out: one of each type', async () => {
    const { store, hand } = log;
    // The newest event that was acknowledged is missed by its own record; an EventStoreDB shows no other end of a stream.
    const last = lines.find(({ type }) => type === 'RefusalsCounted')!;
    await store.append(last.stream, [{ ...last, id: newEventId() }], 'any');
    const goesOn = ({ stream, revision }: Line) =>
      lines.some((l) => l.stream === stream && l.revision === revision + 1);
    const taken = EVENT_TYPES.flatMap((type) => {
      const [first, ...others] = lines.filter((line) => line.type === type && (sqlite || goesOn(line)));
      return others.at(-1) ?? first ?? [];
    });
    expect(taken.length).toBeGreaterThan(sqlite ? EVENT_TYPES.length - 1 : 15);
    const places = new Map<Line, bigint>();
    for (const line of taken) {
      const [{ position }] = await store.readStream(line.stream, { from: BigInt(line.revision), limit: 1 });
      places.set(line, position);
    }
    for (const { stream, revision } of taken) hand.remove(stream, revision);
    const walk = await LogWalk.of(store);
    /** Revisions of a stream that are not there. */
    const gaps: { stream: string | null; from: number; to: number }[] = [];
    for await (const event of readThrough(store)) {
      for (const { stream, problem } of walk.take(event)) {
        const [, next, from] = /^has revision ([0-9]+) where ([0-9]+) comes next$/.exec(problem) ?? [];
        if (next !== undefined) gaps.push({ stream, from: Number(from), to: Number(next) });
      }
    }
    const gone = sqlite ? holesOf(directory, [], store.seals).holes : [];
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
