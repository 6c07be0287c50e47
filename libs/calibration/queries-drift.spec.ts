import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANSWERING } from '#catalogue/reads';
import { isKnownEvent, upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import { encodeVector } from '#domain/vectors';
import { findingsProjection } from '#findings/view';
import { CommandHandler } from '#kit/log/command-handler';
import { newEventId } from '#kit/log/event-id';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { ViewReads } from '#kit/views/reads';
import { Views } from '#kit/views/runner';
import { keyOf, MODEL, proposalOf, type TestClaim, TestLog } from '#kit/views/test/log';
import { telemetryProjection } from '#records/view-calls';
import type { CalibrationAsset } from '#science/calibration/asset';
import { DRIFT_MEASURES, DRIFT_WINDOW, type DriftMeasure, driftedMeasures } from '#science/calibration/drift';
import { chainRoot } from './chain.js';
import type { RungApproved, RungWithdrawn } from './events.js';
import type { DriftEvent } from './events-drift.js';
import { Drifts } from './queries-drift.js';
import { EvidenceView } from './queries-evidence.js';
import { PopulationLadders } from './queries-ladders.js';
import { evidenceProjection } from './view-evidence.js';

/** Range of each measure in the shipped baseline, evenly spread; within the band whose claims count as evidence. */
const SPREAD: Record<DriftMeasure, [from: number, width: number]> = {
  fused_score: [0.8, 0.06],
  rough_sharpness: [0.05, 0.005],
  polish_sharpness: [0.05, 0.005],
  rough_detail_residual: [0, 0.04],
  polish_detail_residual: [0, 0.04],
};
const spread = (measure: DriftMeasure, share: number) => SPREAD[measure][0] + SPREAD[measure][1] * share;
const percentiles = (measure: DriftMeasure) => Array.from({ length: 101 }, (_, i) => spread(measure, i / 100));
const bands = {
  sharpness: percentiles('rough_sharpness'),
  detail_residual: percentiles('rough_detail_residual'),
  locally_polynomial: percentiles('rough_sharpness'),
};
const asset = {
  source: { stones: 10_000 },
  baseline: { genuine: percentiles('fused_score'), wrong: percentiles('fused_score') },
  gauge_bands: { rough: bands, polish: bands },
} as unknown as CalibrationAsset;
const AT = new Date('2026-11-21T12:00:00Z');
const lab = keyOf('lab-a');
const stream = streams.drift('lab-a');

let directory: string;
let store: EventStore;
let views: Views;
/** One thread for all tests: to load its modules takes half a second. */
const reads = new ViewReads({ file: (name) => views.file(name) }, 60_000, ANSWERING);
afterAll(() => reads.close());
let log: TestLog;
let stored: number;
let stones: number;
const never = async () => {
  throw new Error('drift asks for no scorer and no figure');
};
const replica = () =>
  new Drifts({
    store,
    commands: new CommandHandler(store, () => newEventId()),
    reads,
    views,
    ladders: new PopulationLadders({
      ...{ store, evidence: new EvidenceView(views.file('evidence'), store) },
      ...{ scorers: { load: never }, figures: { at: never } },
    }),
    models: { live: async () => ({ model: { digest: MODEL }, asset }) },
  });

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-drift-'));
  store = await openSqliteEventStore({ directory, upcast });
  views = new Views({
    directory: join(directory, 'views'),
    store,
    projections: [evidenceProjection, findingsProjection, telemetryProjection],
    isKnown: isKnownEvent,
  });
  log = new TestLog();
  [stored, stones] = [0, 0];
});
afterEach(async () => {
  await views.close();
  await store.close();
  rmSync(directory, { recursive: true });
});

/** Stores what the log has gained, and waits for the views. */
async function append(): Promise<void> {
  const appended = log.events
    .slice(stored)
    .map(({ stream, type, version, data }) => store.append(stream, [{ id: newEventId(), type, version, data }], 'any'));
  await Promise.all(appended);
  stored = log.events.length;
  await caughtUp();
}
async function caughtUp(): Promise<void> {
  const head = await store.head();
  for (const name of ['evidence', 'telemetry']) expect(await views.file(name).waitFor(head, 60_000)).toBe(true);
}

type Gauges = [sharpness: number, residual: number];
/** Unlike those of nearly all other stones: of sets that are alike, each pair would be looked at for findings. */
const vectorsOf = (stone: number) => {
  const axis = new Float32Array(256);
  axis[stone % axis.length] = 1;
  return { one: encodeVector(axis) };
};
const digest = (name: string) => createHash('sha256').update(name).digest('hex');
function claim(fused_score: number, rough: Gauges, polish: Gauges, more: Partial<TestClaim> = {}): void {
  const stone = `${++stones}`;
  const set = (side: string, [sharpness, detail_residual]: Gauges) => ({
    stone,
    vectors: vectorsOf(stones),
    facts: { sharpness, detail_residual, digest: digest(side + stone) },
  });
  log.claim({ key: lab, rough: set('rough', rough), polish: set('polish', polish), result: { fused_score }, ...more });
}

/** A window of claims spread as the baseline is, in an order of each measure's own; `moved` lies in its upper half. */
async function claims(count: number, moved?: DriftMeasure, more: Partial<TestClaim> = {}): Promise<void> {
  for (let i = 0; i < count; i++) {
    const values = DRIFT_MEASURES.map((measure, m) => {
      const value = (((i * (2 * m + 3)) % DRIFT_WINDOW) + 0.5) / DRIFT_WINDOW;
      return spread(measure, measure === moved ? 0.5 + value / 2 : value);
    });
    const [fused_score, rough, polish, roughResidual, polishResidual] = values;
    claim(fused_score, [rough, roughResidual], [polish, polishResidual], more);
  }
  await append();
}
const storedTypes = async () => ((await store.readStream(stream)) as unknown as DriftEvent[]).map(({ type }) => type);

async function decide(type: 'approve' | 'withdraw'): Promise<void> {
  const [last] = new EvidenceView(views.file('evidence'), store).scored('lab-a', MODEL, 1_000_000, 1);
  const claims = new EvidenceView(views.file('evidence'), store).held('lab-a', MODEL);
  const before = await store.readStream(streams.calibration('lab-a'));
  const when = { at: AT.toISOString(), chain: chainRoot('lab-a', before) };
  const decided = { population: 'lab-a', reject_target: 0.99, scorer: null, operator: 'ada', reason: 'test', ...when };
  const proposal = proposalOf({ claims, decisions: before.length, position: last.position });
  const event =
    type === 'approve'
      ? { type: 'RungApproved', data: { ...decided, proposal, requested_by: null } satisfies RungApproved['data'] }
      : { type: 'RungWithdrawn', data: { ...decided, model: MODEL } satisfies RungWithdrawn['data'] };
  await store.append(streams.calibration('lab-a'), [{ id: newEventId(), version: 3, ...event }], 'any');
  await caughtUp();
}

describe('against the shipped baseline', () => {
  it.each(DRIFT_MEASURES)(
    'another %s is shown, and is no drift: a new laboratory has an instrument of its own',
    async (measure) => {
      const drifts = replica();
      await claims(DRIFT_WINDOW, measure);
      expect(await drifts.record('lab-a', AT)).toEqual([]);
      const shown = await drifts.driftOf('lab-a');
      expect(shown).toMatchObject({ status: 'differs_from_shipped', alarm: false, baseline: { source: 'shipped' } });
      expect(driftedMeasures(shown.latest!)).toEqual([measure]);
      expect(drifts.drifting()).toEqual([]);
      expect(await storedTypes()).toEqual([]);
    },
  );

  it('is steady where claims are alike', async () => {
    await claims(DRIFT_WINDOW);
    const expected = { status: 'steady', alarm: false, windows: 1, waiting: 0, began: null };
    expect(await replica().driftOf('lab-a')).toMatchObject(expected);
  });

  it('does not look at test keys, replays, another model, other populations, or a set sent again', async () => {
    const waiting = async () => (await replica().driftOf('lab-a')).waiting;
    await claims(3);
    expect(await waiting()).toBe(3);
    const moved = 'fused_score';
    await claims(2, moved, { key: keyOf('trial', { kind: 'test', population: 'lab-a' }) });
    await claims(2, moved, { model: 'b'.repeat(64) });
    await claims(2, moved, { key: keyOf('lab-a2') });
    await claims(2, moved, { polish: { stone: '1', facts: { digest: digest('polish1') } } });
    expect(await waiting()).toBe(3);
    // A second machine of the population counts.
    await claims(2, moved, { key: keyOf('machine 2', { population: 'lab-a' }) });
    expect(await waiting()).toBe(5);
  });
});

describe('against the claims behind an approval', () => {
  const approve = async () => {
    await claims(DRIFT_WINDOW);
    await decide('approve');
  };

  it.each(DRIFT_MEASURES)('a change of %s is recorded, once, by whoever is first', async (measure) => {
    const [one, other] = [replica(), replica()];
    await approve();
    await claims(DRIFT_WINDOW, measure);
    const both = await Promise.all([one, other].map((drifts) => drifts.record('lab-a', AT)));
    const baseline = { source: 'approved', claims: DRIFT_WINDOW };
    expect(both.flat()).toMatchObject([
      { type: 'DriftBegan', data: { population: 'lab-a', baseline, at: AT.toISOString() } },
    ]);
    const shown = await other.driftOf('lab-a');
    expect(driftedMeasures(shown.began!)).toEqual([measure]);
    expect(shown).toMatchObject({ status: 'drifting', alarm: true });
    expect(other.drifting()).toMatchObject([{ population: 'lab-a', measures: [measure] }]);
    expect(await replica().record('lab-a', AT)).toEqual([]);
    expect(await storedTypes()).toEqual(['DriftBegan']);
  });

  it('begins after a clean window, and ends after clean ones', async () => {
    await approve();
    const drifts = replica();
    await claims(DRIFT_WINDOW);
    expect(await drifts.record('lab-a', AT)).toEqual([]);
    expect(await drifts.driftOf('lab-a')).toMatchObject({ status: 'steady', windows: 1, waiting: 0, began: null });
    await claims(DRIFT_WINDOW, 'polish_sharpness');
    await claims(2 * DRIFT_WINDOW);
    await replica().record('lab-a', AT);
    expect(await storedTypes()).toEqual(['DriftBegan', 'DriftEnded']);
    expect((await replica().driftOf('lab-a')).status).toBe('steady');
  });

  it('compares with those, and with the shipped asset again once it is withdrawn', async () => {
    const drifts = replica();
    // Otherwise than the shipped asset, which spreads scores by 0.06 too, in steps and with polishes without residual.
    const like = async (count: number, shift = 0) => {
      for (let i = 0; i < count; i++) {
        const sharpness = 0.05 + 1e-4 * (i % 50);
        claim(0.8 + 0.001 * (i % 60), [sharpness, 0.001 * (i % 40)], [sharpness + shift, 0]);
      }
      await append();
    };
    await like(DRIFT_WINDOW);
    expect(await drifts.driftOf('lab-a')).toMatchObject({ status: 'differs_from_shipped' });
    await decide('approve');
    await drifts.record('lab-a', AT);
    expect(await storedTypes()).toEqual([]);
    expect(await drifts.driftOf('lab-a')).toMatchObject({
      status: 'gathering',
      baseline: { source: 'approved', reject_target: 0.99, claims: DRIFT_WINDOW },
      waiting: 0,
    });
    await like(DRIFT_WINDOW);
    expect(await drifts.driftOf('lab-a')).toMatchObject({ status: 'steady', windows: 1 });
    await like(DRIFT_WINDOW, 0.004);
    await drifts.record('lab-a', AT);
    expect(await storedTypes()).toEqual(['DriftBegan']);
    const { began } = await drifts.driftOf('lab-a');
    expect(driftedMeasures(began!)).toEqual(['polish_sharpness']);

    await decide('withdraw');
    await drifts.record('lab-a', AT);
    expect(await drifts.driftOf('lab-a')).toMatchObject({
      status: 'differs_from_shipped',
      baseline: { source: 'shipped' },
    });
    expect(await storedTypes()).toEqual(['DriftBegan', 'DriftEnded']);
    expect(await replica().record('lab-a', AT)).toEqual([]);
  });
});
