/** A process that dies while it stores a scorer, and parts that others wrote. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { streams } from '#domain/streams';
import { CommandHandler } from '#kit/log/command-handler';
import { newEventId } from '#kit/log/event-id';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { readState } from '#kit/log/stored-events';
import { ClaimEvidence, VECTOR_LENGTH } from '#science/calibration/evidence';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import type { ScorerLadders } from '#science/calibration/scorer/ladders';
import { SCORER_METHOD } from '#science/calibration/scorer/method';
import type { PopulationScorer } from '#science/calibration/scorer/scorer';
import { madeScorer, madeWorlds } from '#science/calibration/scorer/test/made';
import { uniform } from '#science/numerics/random';
import { scorerPartsDecider } from './decide-scorer-bytes.js';
import type { ScorerProposal } from './events.js';
import { type ScorerPart, scorerBytes } from './events-scorer.js';
import { PopulationScorers } from './scorers.js';

const bytes = new Uint8Array(2_000_000).map((_, i) => Math.imul(i, 2_654_435_761) >>> 24);
const digest = createHash('sha256').update(bytes).digest('hex');
const scorer = { digest, bytes } as PopulationScorer;
const approved = { scorer: digest } as ScorerProposal;
const stream = streams.scorer('lab', digest);
/** Steps of making a scorer from its bytes: read, two checks, neighbours and stones by side. */
const STEPS = 7;
const lines: object[] = [];
let directory: string;
let store: EventStore;

const scorersOver = (append: EventStore['append'] = store.append.bind(store)) =>
  new PopulationScorers({
    store,
    commands: new CommandHandler({ append, readStream: store.readStream.bind(store) }, newEventId),
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

/** A scorer of 30 stones whose sides are alike, and nothing else. */
function scorerOfThirty() {
  const model = 'a'.repeat(64);
  const evidence = new ClaimEvidence('lab', model, ['one', 'two', 'three']);
  const next = uniform(1);
  for (let stone = 0; stone < 30; stone++) {
    const traits = Array.from({ length: VECTOR_LENGTH }, () => next() - 0.5);
    const sides = [0, 1].map(() => {
      const side = Float32Array.from(traits, (trait) => trait + (next() - 0.5) / 4);
      const unit = side.map((value) => value / Math.hypot(...side));
      return Float32Array.of(...unit, ...unit, ...unit);
    });
    const set = (name: string) => ({ digest: `${name}${stone}`, references: [] });
    const [roughVectors, polishVectors] = sides;
    evidence.add({ claimId: `clm_${stone}`, rough: set('r'), polish: set('p'), roughVectors, polishVectors });
  }
  const source = { population: 'calibration', seed: 1, first_stone: 0, stones: 10, refused: 0 };
  const rungs = REJECT_TARGETS.map((reject_target) => ({
    ...{ reject_target, threshold: reject_target, expected_genuine_accept: null },
  }));
  const ladders: ScorerLadders = {
    ...{ schema: 1, method: SCORER_METHOD, model_digest: model, source: { bank: source, judged: source, draws: 1 } },
    worlds: madeWorlds(3),
    banks: [{ groups: 30, rungs, p_match_5050: { scores: [0], probabilities: [0.5] } }],
  };
  return madeScorer(evidence, ladders);
}

it('lets others in while it loads one: after every part, and between the steps of making it', async () => {
  const made = scorerOfThirty();
  const scorers = scorersOver();
  await scorers.store('lab', made);
  const { length: parts } = await store.readStream(streams.scorer('lab', made.digest));
  const { method, model, claims, evidence_digest } = made.header;
  const proposal = {
    scorer: made.digest,
    groups: made.groups,
    method,
    model,
    claims,
    evidence_digest,
  } as ScorerProposal;
  let turns = 0;
  let over = false;
  const others = (async () => {
    for (; !over; turns++) await setImmediate();
  })();
  const loaded = await scorers.load('lab', proposal);
  over = true;
  await others;
  expect(loaded.digest).toBe(made.digest);
  expect(parts).toBeGreaterThan(1);
  expect(turns).toBeGreaterThanOrEqual(parts + STEPS);
});
