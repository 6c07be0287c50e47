import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newEventId } from '../event-id.js';
import type { NewEvent } from '../port.js';
import { checkSteps, LogCheck, type LogCheckState, type LogDamage } from './check.js';
import { WINDOW } from './reader.js';
import { openSqliteEventStore } from './store.js';

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
const damage = (letPass?: string): LogDamage[] => [...checkSteps(directory, letPass)].flatMap(({ damage }) => damage);
const IN_THE_MIDDLE = Math.floor(EVENTS / 2);

describe('a look through the log', () => {
  it('goes through all of it, window by window, and finds nothing in a sound one', () => {
    const steps = [...checkSteps(directory)];
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

describe('the thread', () => {
  const checked = () =>
    new Promise<[LogCheckState, LogDamage[]]>((resolve) => {
      const reported: LogDamage[] = [];
      const onDamage = (damage: LogDamage) => void reported.push(damage);
      new LogCheck({ directory, onDamage, onEnd: (state) => resolve([state, reported]) }).start();
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
      directory,
      onDamage: () => {},
      onEnd: () => {
        ended = true;
      },
    });
    check.start();
    await check.close();
    expect([check.state.status, ended]).toEqual(['running', false]);
  });
});
