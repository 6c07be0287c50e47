import { loadModel } from '#science/matching/model';
import { ModelFileError } from '#science/matching/safetensors';
import { scrambled } from '#science/numerics/test/scrambled';
import { checkLot, enrol, twinsOf } from './check.js';
import { clustersOf, namedClusters } from './clusters.js';
import { checkReturn, enrolLot } from './lot.js';
import { LOT_VECTOR, type LotModel, loadLotModel, lotModelFile, lotModelOf, SESSION_TYPES } from './model.js';
import type { Usual } from './reference-lots.js';
import { rehearse } from './rehearsal.js';
import { cohortSubstitutes, rehearseLot } from './rehearsed.js';
import { barOf, place } from './score.js';
import { refuseCopies } from './stones.js';
import { drawTray } from './tray.js';

/** Uniform and normal numbers from a seed. */
function randomOf(seed: number) {
  const next = scrambled(seed);
  const uniform = () => (next() + 1) / 2;
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const { normal } = randomOf(7);
const between = Float32Array.from({ length: LOT_VECTOR }, (_, j) => 46 * 0.93 ** j);
/** Stones as the model believes that they are: a stone's own vector, and what a session makes of it. */
const stones = (count: number) =>
  Float32Array.from({ length: count * LOT_VECTOR }, (_, i) => Math.sqrt(between[i % LOT_VECTOR]) * normal());
const seen = (vectors: Float32Array) => vectors.map((value) => value + normal());
const rows = (vectors: Float32Array, ...order: number[]) =>
  Float32Array.from(order.flatMap((row) => [...vectors.subarray(row * LOT_VECTOR, (row + 1) * LOT_VECTOR)]));

const line = (at: number) => ({ at, slope: 0.5 });
const bars = { falseAccept: line(12), genuine: line(14) };
const look = { mean: [0, 0, 0, 0], deviation: [1, 1, 1, 1] };
const points = 40;
const preprocessing = (derivative: 1 | 2) => ({
  derivative,
  yardstick: new Float32Array(points),
  scale: new Float32Array(points).fill(1),
});
const model: LotModel = lotModelOf({
  name: 'made up',
  preprocessing: [preprocessing(1), preprocessing(2)],
  mean: new Float32Array(2 * points),
  projection: new Float32Array(2 * points * LOT_VECTOR),
  between,
  cohort: stones(300),
  bars: { shaken: bars, 'table-up': bars, 'culet-focus': bars },
  looks: { shaken: look, 'table-up': look, 'culet-focus': look },
  sessionOffset: 'kept',
});

const lot = stones(20);
const enrolment = enrol(model, seen(lot));

describe('a returning lot', () => {
  it('is confirmed stone by stone in any order, and substitutes are not', () => {
    const order = [3, 0, 19, 7, 12, 5, 1, 15, 8, 2, 18, 4, 11, 6, 9, 10];
    const returned = Float32Array.of(...seen(rows(lot, ...order)), ...stones(4));
    const { stones: decided, accounted } = checkLot(model, enrolment, returned, 'shaken');
    expect(decided.map(({ member }) => member)).toEqual([...order, null, null, null, null]);
    expect(accounted.map((row) => row !== null)).toEqual(
      Array.from({ length: 20 }, (_, member) => order.includes(member)),
    );
    expect(decided.every(({ margin, member }) => margin > 0 === (member !== null))).toBe(true);
  });

  it('may hold more stones than there are members; each member accounts for one', () => {
    const returned = Float32Array.of(...seen(lot), ...seen(rows(lot, 0, 1)), ...stones(20));
    const { stones: decided } = checkLot(model, enrolment, returned, 'table-up');
    const members = decided.flatMap(({ member }) => (member === null ? [] : [member]));
    expect([decided.length, members.length, new Set(members).size]).toEqual([42, 20, 20]);
  });

  it('knows which members could be swapped unseen', () => {
    const twinned = Float32Array.of(...rows(lot, ...Array.from({ length: 19 }, (_, i) => i)), ...rows(lot, 4));
    expect(twinsOf(model, enrol(model, seen(twinned)), 'shaken')).toEqual([[4, 19]]);
    expect(twinsOf(model, enrolment, 'shaken')).toEqual([]);
  });
});

it('sets the bar by the label, or lower where the promise to members asks for it', () => {
  expect(barOf({ falseAccept: line(1), genuine: line(3) }, 20)).toEqual({
    bar: 1 + 0.5 * Math.log(20),
    floorBinds: false,
  });
  expect(barOf({ falseAccept: line(3), genuine: line(1) }, 20)).toEqual({
    bar: 1 + 0.5 * Math.log(20),
    floorBinds: true,
  });
});

describe('a lot that is unlike those that the bars were set on', () => {
  const usual: Usual = {
    simulated: true,
    model: model.digest,
    parcels: 1,
    lots: 1,
    centre: Array(LOT_VECTOR).fill(0),
    cells: SESSION_TYPES.map((session_type) => ({ session_type, lot_size: 20, look_alikes_to: 0.3, offset_to: 8 })),
    distance_to: 20,
    rescan_from: 0.01,
    genuine: Object.fromEntries(
      SESSION_TYPES.map((type) => [type, { scores: [-1, 0, 1], probabilities: [0.05, 0.5, 0.95] }]),
    ) as Usual['genuine'],
  };
  const names = Array.from({ length: 20 }, (_, i) => ({ stone: `M${i}`, scans: 3 }));
  const encoded = (vectors: Float32Array) => ({ stones: names, vectors, look: [0, 0, 0, 0], warnings: [] });
  const rates = { label: 0.1, measured: { share: 0.1, interval: [0.05, 0.2] as [number, number] } };
  const checkOf = (members: Float32Array, back: Float32Array, by = model) => {
    const { twins } = enrolLot(by, encoded(members), 'shaken', usual);
    const kept = { stones: names.map(({ stone }) => stone), enrolment: enrol(by, members), twins };
    const falseAccepts = { shaken: rates, 'table-up': rates, 'culet-focus': rates };
    return checkReturn(by, { ...kept, session_type: 'shaken' }, encoded(back), 'shaken', falseAccepts, usual);
  };
  /** Stones that a third of the way from all others tell apart. */
  const alike = () => {
    const [first] = [stones(1)];
    return Float32Array.from({ length: 20 * LOT_VECTOR }, (_, i) => first[i % LOT_VECTOR] + 0.3 * normal());
  };
  const far = (vectors: Float32Array) => vectors.map((value) => value + 10);

  it('says so at enrolment and check: far out, or its own members alike', () => {
    expect(enrolLot(model, encoded(seen(lot)), 'shaken', usual).fit).toMatchObject({ usual: true });
    expect(enrolLot(model, encoded(far(seen(lot))), 'shaken', usual).fit).toMatchObject({
      usual: false,
      distance: { usual_to: 20 },
      says: expect.stringContaining('Do not rely on the answer'),
    });
    const close = alike();
    expect(enrolLot(model, encoded(close), 'shaken', usual).fit?.look_alikes.share).toBeGreaterThan(0.3);
    const { verdict, fit, warnings, stones: answered, false_accept, own_bar } = checkOf(close, seen(close));
    expect(own_bar!.bar).toBeGreaterThan(answered[0].bar);
    expect(verdict).toMatch(/^Not to be relied on/);
    expect([fit?.usual, warnings[0]]).toEqual([false, fit?.says]);
    expect(answered.every(({ probability }) => probability === null)).toBe(true);
    expect(false_accept.measured).toBeNull();
    expect(false_accept.own!.share).toBeGreaterThan(0.3);
  });

  it('keeps the promise where it is usual, with the false accept rate of the lot itself', () => {
    const { verdict, fit, false_accept, own_bar, stones: answered } = checkOf(seen(lot), seen(lot));
    expect(own_bar!.confirmed).toEqual(answered.map(({ stone }) => stone));
    expect([verdict, fit?.usual]).toEqual(['All 20 returned stones are confirmed.', true]);
    expect(false_accept).toMatchObject({ measured: rates.measured, own: { share: 0 }, open_places: null });
    expect(answered.every(({ outcome, probability }) => outcome === 'confirmed' && probability! > 0.9)).toBe(true);
  });

  it('says of a return that lies away as a whole that it may be another lot, and promises nothing of it', () => {
    const removing = lotModelOf({ ...model, sessionOffset: 'removed' });
    const away = (by: number) =>
      checkOf(
        seen(lot),
        seen(lot).map((value) => value + by),
        removing,
      );
    const { verdict, warnings, stones: answered, false_accept, fit } = away(2);
    expect(verdict).toMatch(
      /^Not to be relied on: as a whole the return lies 2\.\d times as far .* it may be another lot\. /,
    );
    expect(warnings[0]).toMatch(/^Unusual return: as a whole .*, or the instrument was changed$/);
    expect([fit?.usual, false_accept.measured, answered[0].probability]).toEqual([true, null, null]);
    expect(away(0.3)).toMatchObject({ verdict: 'All 20 returned stones are confirmed.', warnings: [] });
    // A model that keeps offsets measures none.
    expect(
      checkOf(
        seen(lot),
        seen(lot).map((value) => value + 2),
      ).warnings.join(),
    ).not.toContain('Unusual return');
  });

  it('promises nothing of a rehearsal where it does not tell its own members apart', () => {
    const wish = { substitution: 0.2, seed: 1, draws: 20, source: 'cohort' as const };
    const rehearsedOf = (vectors: Float32Array) => {
      const { twins } = enrolLot(model, encoded(vectors), 'shaken', usual);
      const kept = { stones: names.map(({ stone }) => stone), enrolment: enrol(model, vectors), twins };
      return rehearseLot(model, { ...kept, session_type: 'shaken' }, wish, cohortSubstitutes(model), { usual });
    };
    const [told, blind] = [rehearsedOf(seen(lot)), rehearsedOf(alike())];
    expect(told.caught!.share).toBe(Math.min(...told.tried.map(({ caught }) => caught.share)));
    expect(told.tried.map(({ substitutes }) => substitutes)).toEqual(['cohort', 'members']);
    expect(blind.caught).toBeNull();
    expect(blind.tried[1].caught.share).toBeLessThan(blind.tried[0].caught.share);
    expect(blind.one_stone_false_accept).toBeGreaterThan(0.5);
  });

  it('refuses what is nearer to a member than a second scan can be, and names its files', () => {
    const members = { stones: names.map(({ stone }) => stone), vectors: seen(lot) };
    const files = names.map((_, i) => [`P${i}_1.csv`, `P${i}_2.csv`, `P${i}_3.csv`]);
    const copy = members.vectors.map((value) => value + 0.05 * normal());
    expect(() => refuseCopies(usual, members, { stones: names, files, vectors: seen(lot) })).not.toThrow();
    const mixed = seen(lot);
    mixed.set(copy.subarray(3 * LOT_VECTOR, 4 * LOT_VECTOR), 7 * LOT_VECTOR);
    expect(() => refuseCopies(usual, members, { stones: names, files, vectors: mixed })).toThrow(
      /P7_1.csv, P7_2.csv, P7_3.csv.* of M3 /,
    );
  });
});

it('warns of a partial return, with a figure for its open places', () => {
  const rates = { label: 0.1, measured: null };
  const falseAccepts = { shaken: rates, 'table-up': rates, 'culet-focus': rates };
  const twinned = Float32Array.of(...rows(lot, ...Array.from({ length: 19 }, (_, i) => i)), ...rows(lot, 4));
  const names = Array.from({ length: 20 }, (_, i) => `M${i}`);
  const kept = { stones: names, enrolment: enrol(model, seen(twinned)), session_type: 'shaken' as const, twins: [] };
  const back = { stones: [{ stone: 'P4', scans: 3 }], vectors: seen(rows(lot, 4)), look: [0, 0, 0, 0], warnings: [] };
  const { warnings, false_accept } = checkReturn(model, kept, back, 'shaken', falseAccepts);
  expect(warnings.join()).toMatch(/Partial return: 1 stones for 20 members.*of the 19 open places/);
  expect(false_accept.open_places).toMatchObject({ places: 19, share: 1 });
});

it('vacates no place where nothing is substituted', () => {
  const draw = { session: 'shaken' as const, substitution: 0, draws: 10, uniform: randomOf(3).uniform };
  expect(rehearse(model, enrolment, place(model, stones(50), enrolment.centre), draw)).toMatchObject({
    vacated: 0,
    offered: 0,
    caught: 0,
  });
});

it('names look-alikes as groups, and not more than a few of them', () => {
  const pairs = [
    { a: 'A', b: 'B' },
    { a: 'C', b: 'D' },
    { a: 'B', b: 'C' },
    ...Array.from({ length: 8 }, (_, i) => ({ a: `X${i}`, b: `Y${i}` })),
  ];
  expect(clustersOf(pairs)[0]).toEqual(['C', 'D', 'B', 'A'].sort());
  expect(namedClusters(pairs)).toMatch(/^A, B, C and D; X0 and Y0; .* and 4 more groups$/);
});

it('rehearses the same for the same seed, and catches what is no member', () => {
  const substitutes = place(model, stones(50), enrolment.centre);
  const once = () =>
    rehearse(model, enrolment, substitutes, {
      session: 'shaken',
      substitution: 0.2,
      draws: 50,
      uniform: randomOf(3).uniform,
    });
  const first = once();
  expect(first).toEqual(once());
  expect(first).toMatchObject({ draws: 50, vacated: 4, offered: 200, invisible: [] });
  expect(first.share).toBeGreaterThan(0.9);
  expect(first.oneStoneRate).toBeLessThan(0.2);
});

describe('the model file', () => {
  it('comes back as it was written', () => {
    expect(loadLotModel(lotModelFile(model))).toEqual(model);
  });

  it('is no model of claims, and a file cut short is none at all', () => {
    const file = lotModelFile(model);
    expect(() => loadModel(file)).toThrow(ModelFileError);
    expect(() => loadLotModel(file.subarray(0, file.length - 4))).toThrow(ModelFileError);
    expect(() => loadLotModel(new Uint8Array(20))).toThrow(ModelFileError);
  });

  it.each(SESSION_TYPES)('without the bars of %s is refused', (session) => {
    const { [session]: _, ...fewer } = model.bars;
    expect(() => loadLotModel(lotModelFile({ ...model, bars: fewer as LotModel['bars'] }))).toThrow('bars');
  });
});

it('draws a tray that says nothing but what is true of it, whatever the names are', () => {
  const untold = { date: '2026-11-20', verdict: null, scorer: null, twins: [] };
  const hostile = '<script>alert("1")</script>\u0000\u202e';
  const svg = drawTray({
    ...untold,
    title: hostile,
    stones: [
      { stone: hostile, member: null, outcome: 'scan_again', margin: -1 },
      { stone: 'b', member: 'M1', outcome: 'confirmed', margin: 2 },
    ],
    unaccounted: [hostile],
  });
  for (const part of ['<script', '\u0000', '\u202e']) expect(svg).not.toContain(part);
  expect(svg).toContain('1 of 2 confirmed');
  expect(drawTray({ ...untold, title: 'empty', stones: [], unaccounted: [] })).toContain('0 of 0 confirmed');
  const verdict = `Not to be relied on: ${'long '.repeat(40)}reason. 1 of 3 confirmed.`;
  const said = drawTray({ ...untold, title: 'long', verdict, stones: [], unaccounted: [] });
  const words = [...said.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words).join(' ');
  expect(words).toContain(verdict);
});
