import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECTIONS } from '#catalogue/projections';
import { dumpView, openView, rebuildViews } from '#catalogue/rebuild';
import { isKnownEvent, upcast } from '#catalogue/upcast';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { endings } from '../../../test/endings.js';
import { generateStreams } from '../../../test/streams.js';
import { until } from '../../../test/until.js';
import { copyView, fileName } from './files.js';
import { type ViewAlarm, Views } from './runner.js';

const atEnd = endings();
const events = [...generateStreams(120, 3)];
const HALF = 200;
let folder: string;
const fresh = () => mkdtempSync(join(folder, 'made-'));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-copy-'));
  atEnd(folder, (made) => rmSync(made, { recursive: true }));
});

/** A log with the first half of the events. */
async function halfLog() {
  const store = await openSqliteEventStore({ directory: fresh(), upcast });
  atEnd(store, (one) => one.close());
  await append(store, events.slice(0, HALF));
  return store;
}
const append = (store: EventStore, some: typeof events) =>
  Promise.all(
    some.map(({ stream, revision, ...event }) =>
      store.append(stream, [event], revision === 0 ? 'no_stream' : BigInt(revision - 1)),
    ),
  );
const dump = (directory: string) =>
  PROJECTIONS.flatMap((projection) => {
    const view = openView(directory, projection)!;
    const lines = [projection.name, ...dumpView(view)];
    view.close();
    return lines;
  });
const copyOf = (directory: string) => {
  const into = fresh();
  const positions = PROJECTIONS.map((projection) => copyView(directory, projection, into));
  return { into, positions };
};

/** A service's views, caught up. */
async function serving(directory: string, store: EventStore) {
  const alarms: ViewAlarm[] = [];
  const onAlarm = (alarm: ViewAlarm) => void alarms.push(alarm);
  const options = { directory, store, projections: PROJECTIONS, isKnown: isKnownEvent, onAlarm };
  const running = atEnd(new Views(options), (one) => one.close());
  await until(() => running.health().every(({ caughtUp }) => caughtUp));
  return { running, directory, alarms };
}

describe('a copy of views', () => {
  it('is of one moment of views that a service keeps, and another one goes on from it to what a rebuild makes', async () => {
    const store = await halfLog();
    const { running, directory } = await serving(fresh(), store);
    const { into, positions } = copyOf(directory);
    expect(positions).toEqual(PROJECTIONS.map(() => BigInt(HALF)));
    expect(readdirSync(into).sort()).toEqual(PROJECTIONS.map(fileName).sort());
    expect(dump(into)).toEqual(dump(directory));
    await running.close();

    await append(store, events.slice(HALF));
    const { running: other, alarms } = await serving(into, store);
    await other.close();
    expect(alarms).toEqual([]);
    const whole = fresh();
    await rebuildViews({ reader: store, projections: PROJECTIONS, directory: whole });
    expect(dump(into)).toEqual(dump(whole));
  });

  it('of another log is made anew at the start, with an alarm', async () => {
    const { directory } = await serving(fresh(), await halfLog());
    const { into } = copyOf(directory);
    const other = await openSqliteEventStore({ directory: fresh(), upcast });
    atEnd(other, (one) => one.close());
    await append(other, events.slice(0, HALF - 1));
    const { running: started, alarms } = await serving(into, other);
    await started.close();
    expect(alarms.length).toBeGreaterThan(0);
    const whole = fresh();
    await rebuildViews({ reader: other, projections: PROJECTIONS, directory: whole });
    expect(dump(into)).toEqual(dump(whole));
  });

  it('of a view that is not there is none', () => {
    expect(copyView(fresh(), PROJECTIONS[0], fresh())).toBeUndefined();
  });
});
