/** A process that dies while it stores a scorer, and parts that others wrote. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { PopulationScorer } from '#calibration';
import { type ScorerPart, type ScorerProposal, scorerBytes, scorerPartsDecider, streams } from '#domain';
import { type EventStore, newEventId, openSqliteEventStore, readState } from '#event-store';
import { CommandHandler } from '../command-handler.js';
import { PopulationScorers } from './scorers.js';

const bytes = new Uint8Array(2_000_000).map((_, i) => Math.imul(i, 2_654_435_761) >>> 24);
const digest = createHash('sha256').update(bytes).digest('hex');
const scorer = { digest, bytes } as PopulationScorer;
const approved = { scorer: digest } as ScorerProposal;
const stream = streams.scorer('lab', digest);
const lines: object[] = [];
let directory: string;
let store: EventStore;

const scorersOver = (append: EventStore['append'] = store.append.bind(store)) =>
  new PopulationScorers({
    store,
    commands: new CommandHandler(
      { append, ahead: store.ahead.bind(store), readStream: store.readStream.bind(store) },
      newEventId,
    ),
    logger: { error: (line: object) => void lines.push(line) },
  });
/** A process that gets so many appends stored. */
const dyingAfter = (appends: number) => {
  let left = appends;
  return scorersOver(async (...append) => {
    if (left-- === 0) throw new Error('killed');
    return store.append(...append);
  });
};
const stored = async () => {
  const { state } = await readState<typeof scorerPartsDecider.initial, ScorerPart>(store, stream, scorerPartsDecider);
  return scorerBytes(state);
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-scorers-'));
  store = await openSqliteEventStore({ directory });
  lines.length = 0;
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

it('leaves nothing that loads where it dies between two parts, and the next attempt stores the others', async () => {
  await expect(dyingAfter(1).store('lab', scorer)).rejects.toThrow('killed');
  expect(await stored()).toBeUndefined();
  const scorers = scorersOver();
  for (let i = 0; i < 2; i++) await expect(scorers.load('lab', approved)).rejects.toThrow('is not whole');
  expect(lines).toMatchObject([{ alarm: 'calibration', population: 'lab' }]);

  await scorers.store('lab', scorer);
  expect(Buffer.from((await stored())!).equals(bytes)).toBe(true);
  const { length } = await store.readStream(stream);
  await scorers.store('lab', scorer);
  expect(await store.readStream(stream)).toHaveLength(length);
});

it('stores nothing that could be approved where others stand in its place', async () => {
  const decided = scorerPartsDecider.decide(scorerPartsDecider.initial, { population: 'lab', scorer: digest, bytes });
  if (!('events' in decided)) throw new Error('no parts');
  const [{ data, ...first }] = decided.events;
  const forged = { ...first, id: newEventId(), data: { ...data, lines: data.lines.toReversed() } };
  await store.append(stream, [forged], 'no_stream');
  await expect(scorersOver().store('lab', scorer)).rejects.toThrow('the log holds other parts');
});
