import { describe, expect, it } from '@jest/globals';
import { loadModel, ModelFileError } from '#matching';
import { scrambled } from '#numerics';
import { checkLot, enrol, twinsOf } from './check.js';
import { LOT_VECTOR, type LotModel, loadLotModel, lotModelFile, lotModelOf, SESSION_TYPES } from './model.js';
import { rehearse } from './rehearsal.js';
import { barOf, place } from './score.js';
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
  const hostile = '<script>alert("1")</script>\u0000\u202e';
  const svg = drawTray({
    title: hostile,
    stones: [
      { stone: hostile, member: null, margin: -1 },
      { stone: 'b', member: 'M1', margin: 2 },
    ],
    unaccounted: [hostile],
    twins: [],
  });
  for (const part of ['<script', '\u0000', '\u202e']) expect(svg).not.toContain(part);
  expect(svg).toContain('1 of 2 confirmed');
  expect(drawTray({ title: 'empty', stones: [], unaccounted: [], twins: [] })).toContain('0 of 0 confirmed');
});
