import { LOT_VECTOR, type LotModel, lotModelOf, SESSION_TYPES } from '#science/lots/model';
import { interpolatedQuantile } from '#science/numerics/quantile';
import { Random } from '../simulator/index.js';
import { fitBars, placeParcel, sizesOf } from './bars.js';
import { addMoments, fitEncoder, momentsOf, noMoments } from './fit.js';
import { measureCell, measureRehearsal, shareOf } from './measure.js';
import { PARCEL_STONES, roughOf, stockOf } from './parcel.js';
import type { EncodedParcel, PreprocessedStones } from './scans.js';

describe('the encoder', () => {
  const inputs = 6;
  const stones = 40;
  /** Parcels whose stones differ in inputs 0 (much) and 1 (less), scans and visits in 2 and 3, parcels in 4. */
  const parts = Array.from({ length: 12 }, (_, p): PreprocessedStones => {
    const random = new Random('fit', p);
    const row = () => new Float32Array(stones * inputs);
    const scatter = new Float64Array(inputs * inputs);
    const part = { inputs, parcels: [stones], enrol: row(), back: row(), scatter, scattered: stones };
    const parcel = 5 * random.normal();
    for (let s = 0; s < stones; s++) {
      const own = [3 * random.normal(), random.normal()];
      for (const rows of [part.enrol, part.back]) {
        const noise = Array.from({ length: inputs }, () => 0.2 * random.normal());
        const visit = random.normal();
        rows.set([own[0] + noise[0], own[1] + noise[1], visit, 2 * visit + noise[3], parcel, 0], s * inputs);
      }
    }
    for (let i = 0; i < 5; i++) part.scatter[i * inputs + i] = 0.01 * stones;
    return part;
  });
  const { mean, projection, between } = fitEncoder([{ moments: momentsOf(parts), weight: 1 }]);
  const weight = (input: number, k: number) => Math.abs(projection[input * LOT_VECTOR + k]);

  it('puts first what stones differ in and visits agree in; not what a visit or a parcel brings', () => {
    // Two parts in 25 of noise, and the scatter's share: lambda = 9 / (0.04 + 0.003) and 1 / (0.04 + 0.003).
    expect(between[0]).toBeGreaterThan(120);
    expect(between[1]).toBeGreaterThan(12);
    expect(between[1]).toBeLessThan(40);
    expect(between[2]).toBeLessThan(2);
    expect(weight(0, 0)).toBeGreaterThan(20 * Math.max(weight(2, 0), weight(3, 0), weight(4, 0)));
    expect(weight(1, 1)).toBeGreaterThan(20 * Math.max(weight(2, 1), weight(3, 1), weight(4, 1)));
  });

  it('gives two visits to a stone a difference of variance one', () => {
    let squares = 0;
    for (const part of parts)
      for (let s = 0; s < stones; s++) {
        let apart = 0;
        for (let i = 0; i < inputs; i++)
          apart += (part.enrol[s * inputs + i] - part.back[s * inputs + i]) * projection[i * LOT_VECTOR];
        squares += apart * apart;
      }
    expect(squares / (2 * parts.length * stones)).toBeGreaterThan(0.8);
    expect(squares / (2 * parts.length * stones)).toBeLessThan(1.1);
  });

  it('is the same of parcels in parts, and changes with the weight of a group', () => {
    const halves = [parts.slice(0, 5), parts.slice(5)].map(momentsOf);
    const all = noMoments(inputs);
    for (const half of halves) addMoments(all, half);
    const again = fitEncoder([{ moments: all, weight: 1 }]);
    for (const [k, lambda] of again.between.entries()) expect(lambda).toBeCloseTo(between[k], 3);
    const [a, b] = [0.1, 0.9].map((weight) =>
      fitEncoder([
        { moments: halves[0], weight },
        { moments: halves[1], weight: 1 - weight },
      ]),
    );
    expect(a.between[0]).not.toBeCloseTo(b.between[0], 3);
  });

  it('is centred on the mean of both visits, and has no more directions than inputs', () => {
    const all = parts.flatMap(({ enrol, back }) => [...enrol, ...back]);
    const mean0 = all.filter((_, at) => at % inputs === 0).reduce((a, b) => a + b) / (all.length / inputs);
    expect(mean[0]).toBeCloseTo(mean0, 4);
    expect([...projection.subarray(0, LOT_VECTOR)].slice(inputs)).toEqual(new Array(LOT_VECTOR - inputs).fill(0));
    expect(between.every((lambda) => lambda > 0)).toBe(true);
  });
});

describe('bars and figures', () => {
  const between = Float32Array.from({ length: LOT_VECTOR }, (_, j) => 30 * 0.9 ** j + 0.01);
  const stone = (random: Random) => between.map((lambda) => Math.sqrt(lambda) * random.normal());
  const seen = (own: Float32Array, random: Random) => own.map((value) => value + 1.3 * random.normal());
  const stacked = (rows: Float32Array[]) => Float32Array.from(rows.flatMap((row) => [...row]));
  /** Parcels of vectors as the model believes them to be; twins are alike to within what a visit brings. */
  const encoded = (parcel: number, apart = 1): EncodedParcel => {
    const random = new Random('parcel', parcel);
    const roughs = Array.from({ length: PARCEL_STONES }, () => stone(random));
    const own = roughs.map((_, s) => (s === roughOf(s) ? roughs[s] : seen(roughs[roughOf(s)], random)));
    const visit = () => stacked(own.map((vector) => seen(vector, random).map((value) => apart * value)));
    return { parcel, type: 'shaken', enrol: visit(), back: visit(), looks: [] };
  };
  const cohort = stacked(Array.from({ length: 120 }, (_, k) => stone(new Random('cohort', k))));
  const parcels = Array.from({ length: 5 }, (_, p) =>
    placeParcel({ between, cohort, sessionOffset: 'kept' }, encoded(p)),
  );
  const bars = fitBars(parcels, 'spec');
  const points = 8;
  const preprocessing = (derivative: 1 | 2) => ({
    derivative,
    yardstick: new Float32Array(points),
    scale: new Float32Array(points).fill(1),
  });
  const each = <T>(value: T) => Object.fromEntries(SESSION_TYPES.map((type) => [type, value])) as never;
  const model: LotModel = lotModelOf({
    name: 'made up',
    preprocessing: [preprocessing(1), preprocessing(2)],
    mean: new Float32Array(2 * points),
    projection: new Float32Array(2 * points * LOT_VECTOR),
    between,
    cohort,
    bars: each(bars),
    looks: each({ mean: [0], deviation: [1] }),
    sessionOffset: 'kept',
  });

  it('lie where a tenth of the strangers, and as many members as promised would be confirmed', () => {
    const at = (size: number) => bars.genuine.at + bars.genuine.slope * Math.log(size);
    expect(at(20)).toBeGreaterThan(bars.falseAccept.at + bars.falseAccept.slope * Math.log(20));
    expect(bars.falseAccept.slope).toBeGreaterThan(0);
    const cell = measureCell(model, parcels, { family: 'spec', size: 20, substitution: 0.2, lots: 4 });
    expect(cell).toMatchObject({ session_type: 'shaken', lot_size: 20, lots: 20 });
    expect(cell.genuine_confirmed.share).toBeGreaterThan(0.95);
    expect(cell.unrelated_caught!.share).toBeGreaterThan(0.9);
    expect(cell.twins_caught!.share).toBeLessThan(0.5);
    expect(Math.abs(cell.one_stone_false_accept!.share - 0.1)).toBeLessThan(0.08);
    expect(measureCell(model, parcels, { family: 'spec', size: 20, substitution: 0.2, lots: 4 })).toEqual(cell);
  });

  it('come from parcels of any size: of small ones the sizes that they can give, and never a twin for a stranger', () => {
    const small = parcels.map((parcel) => {
      const { enrol, back } = encoded(parcel.parcel);
      const rows = (of: Float32Array) => of.slice(0, 30 * LOT_VECTOR);
      const cut = { parcel: parcel.parcel, type: parcel.type, looks: [], stock: stockOf(30) };
      return placeParcel({ between, cohort, sessionOffset: 'kept' }, { ...cut, enrol: rows(enrol), back: rows(back) });
    });
    expect(sizesOf(small)).toEqual([10, 20]);
    expect(sizesOf(parcels)).toEqual([10, 20, 40, 60]);
    const fitted = fitBars(small, 'spec');
    const at = (of: 'falseAccept' | 'genuine', size: number, from = bars) =>
      from[of].at + from[of].slope * Math.log(size);
    expect(Math.abs(at('falseAccept', 15, fitted) - at('falseAccept', 15))).toBeLessThan(1.5);
    expect(sizesOf(small.slice(0, 1).map((one) => ({ ...one, stock: stockOf(13) })))).toEqual([10]);
    const alone = fitBars(
      small.map((one) => ({ ...one, stock: stockOf(13) })),
      'spec',
      bars,
    );
    expect(alone.genuine.slope).toBe(bars.genuine.slope);
    const cell = measureCell(model, small, { family: 'own', size: 20, substitution: 0.2, lots: 4 });
    expect([cell.lots, cell.twins_caught]).toEqual([20, null]);
    expect(cell.unrelated_caught!.share).toBeGreaterThan(0.9);
  });

  it('show how a rehearsal on other lots flatters: not at all, where all stones are alike', () => {
    const { flatters_by, lots } = measureRehearsal(model, parcels, { family: 'spec', size: 20, substitution: 0.2 });
    expect(lots).toBe(5);
    expect(Math.abs(flatters_by.share)).toBeLessThan(0.08);
  });

  it('have intervals over parcels: none where all agree, wide where they do not', () => {
    const count = (hits: number) => ({ hits, of: 10 });
    expect(shareOf([count(9), count(9), count(9)], 'a')).toEqual({ share: 0.9, interval: [0.9, 0.9] });
    const mixed = shareOf([count(10), count(5), count(9), count(2)], 'b')!;
    expect(mixed.share).toBeCloseTo(0.65, 10);
    expect(mixed.interval[0]).toBeLessThan(0.5);
    expect(mixed.interval[1]).toBeGreaterThan(0.8);
    expect(shareOf([{ hits: 0, of: 0 }], 'c')).toBeNull();
    expect(interpolatedQuantile(Float64Array.of(4, 1, 3, 2), 0.5)).toBe(2.5);
  });
});
