import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '#catalogue/catalogue';
import { isKnownEvent } from '#catalogue/upcast';
import type { Submission } from '#claims/events';
import { streams } from '#domain/streams';
import { encodeVector } from '#domain/vectors';
import { answerTo } from '#kit/http/answers';
import { newEventId } from '#kit/log/event-id';
import type { EventStore } from '#kit/log/port';
import { openSqliteEventStore } from '#kit/log/sqlite/store';
import { Views } from '#kit/views/runner';
import { proposalOf } from '#kit/views/test/log';
import { chainRoot } from './chain.js';
import { EvidenceView } from './queries-evidence.js';
import { evidenceProjection } from './view-evidence.js';

const model = 'a'.repeat(64);
const at = '2026-11-21T12:00:00.000Z';
const encoders = ['one', 'two'];
let directory: string;
let store: EventStore;
let views: Views;
let view: EvidenceView;
const open = () => {
  views = new Views({
    ...{ directory: join(directory, 'views'), store, projections: [evidenceProjection] },
    isKnown: isKnownEvent,
  });
  view = new EvidenceView(views.file('evidence'), store);
};
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-evidence-'));
  store = await openSqliteEventStore({ directory });
  open();
});
afterEach(async () => {
  await views.close();
  await store.close();
  rmSync(directory, { recursive: true });
});

const append = (stream: string, type: keyof typeof catalogue, data: object) => {
  const { version } = catalogue[type];
  return store.append(stream, [{ id: newEventId(), type, version, data: data as Record<string, unknown> }], 'any');
};
const caughtUp = async () => expect(await view.waitFor(await store.head(), 60_000)).toBe(true);

interface Claim {
  id: string;
  rough?: string;
  polish?: string;
  kind?: 'production' | 'test';
  population?: string;
  residual?: number;
  banked?: boolean;
  under?: string;
  /** Its sets are in streams of their own, as those of replays and of before. */
  apart?: boolean;
  /** Of its vectors. */
  times?: number;
}

/** A claim as the service stores it. */
async function claim({
  id,
  kind = 'production',
  residual = 0,
  banked = true,
  under = model,
  apart,
  times = 1,
  ...more
}: Claim) {
  const { rough = `rough of ${id}`, polish = `polish of ${id}`, population = 'lab' } = more;
  const side = (digest: string) => ({ digest, references: [`${digest}.1`], detail_residual: residual });
  const submission: Partial<Submission> & object = {
    claim_id: id,
    key: { id: 'k', name: 'n', kind, population },
    model: under,
    rough: side(rough) as Submission['rough'],
    polish: side(polish) as Submission['polish'],
    at: 'T',
  };
  const stream = streams.claim('k', id);
  await append(stream, 'ClaimSubmitted', submission);
  for (const [digest, value] of banked
    ? ([
        [rough, 0.25],
        [polish, 0.5],
      ] as const)
    : []) {
    const vectors = {
      two: encodeVector(new Float32Array(256).fill(2 * times * value)),
      one: encodeVector(new Float32Array(256).fill(times * value)),
    };
    await append(apart ? streams.bank(population, under, digest) : stream, 'ScanSetBanked', {
      population,
      model: under,
      digest,
      vectors,
    });
  }
  await append(stream, 'ClaimScored', {
    claim_id: id,
    result: { fused_score: 0.5 + Number(id.slice(1)) / 100 },
    at: 'T',
  });
}

describe('counted claims', () => {
  it('are production claims with both sets banked and on the manifold, a pair of sets once, by population and model', async () => {
    await claim({ id: 'c1' });
    await claim({ id: 'c2', kind: 'test' });
    await claim({ id: 'c3', residual: -0.24 });
    await claim({ id: 'c4', residual: 0.32 });
    await claim({ id: 'c5', banked: false });
    await claim({ id: 'c6', rough: 'rough of c1', polish: 'polish of c1' });
    await claim({ id: 'c7', rough: 'rough of c1' });
    await claim({ id: 'c8', rough: 'rough of c2', polish: 'polish of c2' });
    await claim({ id: 'c9', population: 'other' });
    await claim({ id: 'c10', under: 'b'.repeat(64) });
    await caughtUp();
    const rows = await view.counted('lab', model, encoders, 0, 100);
    expect(rows.map(({ ordinal, claimId }) => [ordinal, claimId])).toEqual([
      [1, 'c1'],
      [2, 'c7'],
      [3, 'c8'],
    ]);
    expect(view.held('lab', model)).toBe(3);
    expect([view.held('other', model), view.held('lab', 'b'.repeat(64)), view.held('nobody', model)]).toEqual([
      1, 1, 0,
    ]);
    expect(view.countedPlaces('lab', model, 1, 1).map(({ claim }) => claim.claimId)).toEqual(['c7']);
    expect(view.populations()).toEqual(['lab', 'other']);
  });

  it('carry vectors in the model’s order of encoders, whatever order they were banked in', async () => {
    await claim({ id: 'c1' });
    await caughtUp();
    const [{ roughVectors, polishVectors, rough }] = await view.counted('lab', model, encoders, 0, 1);
    expect([roughVectors[0], roughVectors[256], polishVectors[0], polishVectors[256]]).toEqual([0.25, 0.5, 0.5, 1]);
    expect(rough).toEqual({ digest: 'rough of c1', references: ['rough of c1.1'] });
  });

  it('have the vectors of the first claim that brought a set, or of a stream of its own before', async () => {
    await claim({ id: 'c1', apart: true });
    await claim({ id: 'c2', rough: 'rough of c1', times: 3 });
    await claim({ id: 'c3', polish: 'polish of c2', times: 5 });
    await caughtUp();
    const rows = await view.counted('lab', model, encoders, 0, 100);
    expect(rows.map(({ roughVectors, polishVectors }) => [roughVectors[0], polishVectors[0]])).toEqual([
      [0.25, 0.5],
      [0.25, 1.5],
      [1.25, 1.5],
    ]);
  });

  it('are refused with 409 and what to do where the row of a set was disowned after it was counted', async () => {
    for (const id of ['c1', 'c2']) await claim({ id });
    await caughtUp();
    const [, banked] = await store.readStream(streams.claim('k', 'c2'));
    const rows = [{ position: String(banked.position), stream: banked.stream }];
    await append(streams.log(), 'RowsDisowned', { rows, operator: 'ada', reason: 'seen', at });
    await views.close();
    await store.close();
    store = await openSqliteEventStore({ directory });
    open();
    await caughtUp();
    expect(await view.counted('lab', model, encoders, 0, 1)).toHaveLength(1);
    const refused = await view.counted('lab', model, encoders, 0, 2).catch((error: unknown) => error);
    expect(answerTo(refused)).toMatchObject({
      status: 409,
      detail: expect.stringMatching(
        /the views count vectors at 1 of stream claim-k-c2, whose row was disowned since: .* mvs views rebuild/,
      ),
    });
    // As the refusal says.
    await views.close();
    rmSync(join(directory, 'views'), { recursive: true });
    open();
    await caughtUp();
    expect((await view.counted('lab', model, encoders, 0, 2)).map(({ claimId }) => claimId)).toEqual(['c1']);
  });

  it('are the same after the file is lost', async () => {
    for (const id of ['c1', 'c2', 'c3']) await claim({ id });
    await caughtUp();
    const before = await view.counted('lab', model, encoders, 0, 100);
    await views.close();
    rmSync(join(directory, 'views'), { recursive: true });
    open();
    await caughtUp();
    expect(await view.counted('lab', model, encoders, 0, 100)).toEqual(before);
  });

  it('are found by score with their labels, those of the same pair included', async () => {
    for (const id of ['c1', 'c2', 'c3', 'c4']) await claim({ id });
    await claim({ id: 'c9', rough: 'rough of c3', polish: 'polish of c3' });
    const label = (id: string, type: 'ClaimLabelled' | 'LabelAmended', expected: string) =>
      append(streams.labels('k'), type, { claim_id: id, label: { expected } });
    await label('c2', 'ClaimLabelled', 'no_match');
    await label('c2', 'LabelAmended', 'match');
    await label('c9', 'ClaimLabelled', 'no_match');
    await caughtUp();
    expect(view.between('lab', model, 4, [0.51, 0.54], 2)).toEqual({
      match: 1,
      no_match: 1,
      unlabelled: 1,
      items: [
        { claim_id: 'c2', fused_score: 0.52, at: 'T', label: 'match' },
        { claim_id: 'c3', fused_score: 0.53, at: 'T', label: 'no_match' },
      ],
    });
  });
});

describe('claims that another model scored as shadow', () => {
  const shadow = 'b'.repeat(64);
  const scoreAsShadow = async (id: string, banked = true, of = id, under = shadow) => {
    const sets = banked ? [`rough of ${of}`, `polish of ${of}`] : [];
    const vectors = {
      one: encodeVector(new Float32Array(256).fill(0.125)),
      two: encodeVector(new Float32Array(256)),
    };
    for (const digest of sets)
      await append(streams.claim('k', id), 'ScanSetBanked', {
        population: 'lab',
        model: under,
        digest,
        vectors,
      });
    await append(streams.claim('k', id), 'ClaimShadowScored', {
      claim_id: id,
      model: under,
      fused_score: 0.25,
      at: 'T',
    });
  };

  it('count under it by the rules of counted claims, in the order of its own events', async () => {
    for (const id of ['c1', 'c2', 'c3']) await claim({ id });
    await claim({ id: 'c4', kind: 'test' });
    await claim({ id: 'c5', residual: 0.32 });
    await claim({ id: 'c6', rough: 'rough of c1', polish: 'polish of c1' });
    await claim({ id: 'c7', under: shadow });
    for (const id of ['c3', 'c1', 'c4', 'c5', 'c1']) await scoreAsShadow(id);
    await scoreAsShadow('c2', false);
    await scoreAsShadow('c6', true, 'c1');
    await scoreAsShadow('c7', true, 'c7', shadow);
    await scoreAsShadow('unknown');
    await caughtUp();
    const counted = await view.counted('lab', shadow, encoders, 0, 100);
    expect(counted.map((row) => [row.claimId, row.roughVectors[0]])).toEqual([
      ['c7', 0.25],
      ['c3', 0.125],
      ['c1', 0.125],
    ]);
    expect(view.held('lab', model)).toBe(3);
  });

  it('have the label of their pair, whichever came first', async () => {
    for (const id of ['c1', 'c2']) await claim({ id });
    const label = (id: string) =>
      append(streams.labels('k'), 'ClaimLabelled', { claim_id: id, label: { expected: 'match' } });
    await label('c1');
    for (const id of ['c1', 'c2']) await scoreAsShadow(id);
    await label('c2');
    await caughtUp();
    expect(view.between('lab', shadow, 2, [0, 1], 9)).toMatchObject({ match: 2, unlabelled: 0 });
  });
});

describe('models that are not installed', () => {
  /** A decision with its chain, on the 40 claims of the log. */
  const decide = async (type: 'RungApproved' | 'RungWithdrawn', more: object = {}, population = 'lab') => {
    const before = await store.readStream(streams.calibration(population));
    const decided = { population, reject_target: 0.99, scorer: null, operator: 'ada', reason: 'why', at };
    const proposal = proposalOf({ model, claims: 40, decisions: before.length });
    const own = type === 'RungApproved' ? { proposal, requested_by: null } : { model };
    await append(streams.calibration(population), type, {
      ...{ ...decided, chain: chainRoot(population, before), ...own, ...more },
    });
  };
  beforeEach(async () => {
    for (let n = 0; n < 40; n++) await claim({ id: `c${n}` });
  });

  it('are those that approvals still stand under', async () => {
    await decide('RungApproved');
    await caughtUp();
    expect(view.notInstalled([model])).toEqual([]);
    expect(view.notInstalled([])).toEqual([{ population: 'lab', model }]);
    expect(view.approved(model)).toEqual([{ population: 'lab', rung: '0.99' }]);
    await decide('RungWithdrawn');
    await caughtUp();
    expect(view.notInstalled([])).toEqual([]);
    expect(view.approved(model)).toEqual([]);
  });

  it('are not those of an approval that stands recorded as passed over: what was decided before it holds', async () => {
    const passOver = (revision: number) =>
      append(streams.rejectedDecisions('lab'), 'DecisionPassedOver', {
        population: 'lab',
        revision,
        problem: 'why',
        at,
      });
    await decide('RungApproved');
    await decide('RungWithdrawn');
    await decide('RungApproved');
    await decide('RungApproved', { reject_target: 0.98 });
    await passOver(2);
    await caughtUp();
    expect(view.approved(model)).toEqual([{ population: 'lab', rung: '0.98' }]);
    await passOver(3);
    await passOver(1);
    await caughtUp();
    expect(view.approved(model)).toEqual([{ population: 'lab', rung: '0.99' }]);
  });

  it('are the same after a restart in between', async () => {
    await decide('RungApproved');
    await caughtUp();
    await views.close();
    open();
    await decide('RungWithdrawn');
    await caughtUp();
    expect(view.approved(model)).toEqual([]);
  });
});
