import { absorptionTables, addPlatelet } from './absorption.js';
import { FIRST_MINOR, LN_NITROGEN, LOGIT_B, POPULATIONS, worldOf } from './populations.js';
import { Random } from './random.js';
import { MEAN_SHAPES } from './shapes.js';
import { simulateStone } from './simulate.js';
import { drawStone, minorCentre, polishChord, roughChord, type Stone, traitsAlong } from './stone.js';

const world = worldOf(POPULATIONS.calibration, 1, 0);
const stones = Array.from({ length: 4000 }, (_, i) => drawStone(world, new Random('stones', i), 1));
const share = (is: (stone: Stone) => boolean) => stones.filter(is).length / stones.length;
const spread = (values: number[]) => {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) * (v - mean), 0) / values.length);
};

describe('a population', () => {
  it('has the shares of types, of gross zoning and of wrong records that it is to have', () => {
    expect(share(({ type }) => type === 'Ia')).toBeCloseTo(0.951, 1);
    expect(share(({ type }) => type === 'IIa')).toBeCloseTo(0.035, 2);
    expect(share(({ type }) => type === 'Ib')).toBeCloseTo(0.012, 2);
    expect(share(({ grosslyZoned }) => grosslyZoned)).toBeCloseTo(0.03, 2);
    const records = Array.from({ length: 3000 }, (_, i) =>
      simulateStone(POPULATIONS.calibration, 1, i, { roughScans: 0, polishScans: 0 }),
    );
    expect(records.filter(({ mispaired }) => mispaired).length / records.length).toBeCloseTo(0.015, 2);
  });

  it('has mines by the law of Zipf, eight pockets each', () => {
    const of = (mine: number) => share((stone) => stone.mine === mine);
    expect(of(0) / of(3)).toBeGreaterThan(2);
    expect(of(0)).toBeCloseTo(0.17, 1);
    expect(new Set(stones.map(({ mine }) => mine)).size).toBe(40);
    expect(new Set(stones.map(({ pocket }) => pocket)).size).toBe(8);
  });

  it('has pockets that hold about half of the variance within a mine', () => {
    const within: number[] = [];
    const inside: number[] = [];
    for (let mine = 0; mine < 8; mine++) {
      const group = stones.filter((stone) => stone.mine === mine && stone.type === 'Ia');
      within.push(spread(group.map(({ traits }) => traits[LOGIT_B])));
      for (let pocket = 0; pocket < 8; pocket++) {
        const own = group.filter((stone) => stone.pocket === pocket);
        inside.push(spread(own.map(({ traits }) => traits[LOGIT_B])));
      }
    }
    const mean = (values: number[]) => values.reduce((sum, v) => sum + v, 0) / values.length;
    expect(mean(inside)).toBeCloseTo(0.55 * Math.SQRT1_2, 1);
    expect(mean(within)).toBeGreaterThan(1.2 * mean(inside));
  });

  it('nearly lacks a minor centre in about 35% of the stones', () => {
    const amounts = stones.flatMap(({ traits }) => Array.from(traits.subarray(FIRST_MINOR), minorCentre));
    const weak = amounts.filter((a) => a < 0.5 * Math.exp(-5.3 - 0.385)).length / amounts.length;
    expect(weak).toBeGreaterThan(0.3);
    expect(weak).toBeLessThan(0.4);
  });
});

describe('zoning', () => {
  it('differs along a stone with the amplitude, and is nothing at zero', () => {
    const along = (zoning: number, chord: (stone: Stone, random: Random) => ReturnType<typeof roughChord>) =>
      spread(
        Array.from({ length: 400 }, (_, i) => {
          const stone = drawStone(world, new Random('zoned', i), zoning);
          const random = new Random('path', i);
          return stone.grosslyZoned
            ? 0
            : traitsAlong(stone, chord(stone, random))[LN_NITROGEN] - stone.traits[LN_NITROGEN];
        }),
      );
    const rough = (zoning: number) => along(zoning, (_, random) => roughChord(random));
    expect(rough(0)).toBe(0);
    expect(rough(1) / rough(0.5)).toBeCloseTo(2, 5);
    expect(rough(1)).toBeGreaterThan(0.1);
    expect(rough(1)).toBeLessThan(0.4);
    expect(along(1, polishChord)).toBeGreaterThan(rough(1));
  });
});

describe('absorption', () => {
  const axis = Float64Array.from({ length: 5501 }, (_, i) => 500 + i);
  const { components } = absorptionTables(axis, MEAN_SHAPES);
  const at = (name: keyof typeof components, wavenumber: number) =>
    components[name].values[wavenumber - 500 - components[name].from] ?? 0;

  it('has the heights of the lattice that are known', () => {
    const lattice = (w: number) => at('lattice', w);
    for (const [wavenumber, height] of [
      [1992, 12.0],
      [2030, 13.4],
      [2160, 14.0],
      [2500, 4.7],
      [3640, 1.65],
      [1332, 0.14],
      [4500, 0],
    ])
      expect(Math.abs(lattice(wavenumber) - height)).toBeLessThan(0.35);
    expect(lattice(2640) / lattice(2690)).toBeGreaterThan(1.8);
  });

  it('is 1 where concentrations are counted, and A, B and D end soon after 1336', () => {
    for (const [name, wavenumber] of [
      ['nitrogenA', 1282],
      ['nitrogenB', 1282],
      ['nitrogenC', 1130],
      ['nitrogenX', 1332],
      ['hydrogen', 3107],
    ] as const)
      expect(Math.abs(at(name, wavenumber) - 1)).toBeLessThan(0.08);
    for (const [name, left] of [
      ['nitrogenA', 0.025],
      ['nitrogenB', 0.025],
      ['nitrogenD', 0.1],
    ] as const)
      expect(at(name, 1350)).toBeLessThan(left * at(name, 1282) + 1e-3);
  });

  it('gives the platelet peak the area asked for, about 11 wide and steeper on the high side', () => {
    const alpha = new Float64Array(4000);
    addPlatelet(alpha, { first: 1300, step: 0.05 }, 1362, 64, MEAN_SHAPES.platelet);
    expect(alpha.reduce((sum, a) => sum + 0.05 * a, 0)).toBeCloseTo(64, 0);
    const half = Math.max(...alpha) / 2;
    expect(alpha.filter((a) => a > half).length * 0.05).toBeCloseTo(11, 0);
    expect(alpha[(1372 - 1300) / 0.05]).toBeLessThan(alpha[(1352 - 1300) / 0.05]);
  });
});
