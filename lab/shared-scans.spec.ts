import { onReferenceAxis } from '#science/spectra/compare';
import { sharedScans } from '#science/spectra/shared-scans';
import { simulateNamed } from './populations.js';
import { reexport, type SimulatedScan, type SimulatedStone, STONES_A_WORLD } from './simulator/index.js';

/** Ascending, as scans are read. */
const read = ({ wavenumbers, absorbance }: SimulatedScan) => {
  const turned = wavenumbers[0] > wavenumbers[1];
  const ascending = (values: Float64Array) => (turned ? values.toReversed() : values);
  return { wavenumbers: ascending(wavenumbers), absorbance: ascending(absorbance) };
};
const onAxis = (scans: readonly SimulatedScan[]) => scans.map((scan) => onReferenceAxis(read(scan)));
const changed = (scan: SimulatedScan, change: (y: number) => number): SimulatedScan => ({
  ...scan,
  absorbance: scan.absorbance.map(change),
});
/** Stones of as many random worlds; more of them by the variable, to measure. */
const WORLDS = Number(process.env.MVS_TEST_WORLDS ?? 40);
const POPULATIONS = ['calibration', 'client-a', 'low-noise-4', 'second-plain', 'second-scatter'];
const stones = (name: string, noise: number): SimulatedStone[] =>
  Array.from({ length: 4 }, (_, n) => simulateNamed(name, 560_001, n, { noise, roughScans: 3, polishScans: 2 }));

describe.each(POPULATIONS)('shared scans of %s', (name) => {
  it('are none between the sides of a stone, nor between two measurements of one side, even without noise', () => {
    for (const noise of [1, 0]) {
      for (const { rough, polish } of stones(name, noise)) {
        const [a, b] = [onAxis(rough), onAxis(polish)];
        expect(sharedScans(a, b)).toBe(0);
        expect(sharedScans([a[0]], a.slice(1))).toBe(0);
        expect(sharedScans([b[0]], b.slice(1))).toBe(0);
      }
    }
  });

  it('are found as they are, rounded to four decimals, scaled, lifted and all of these', () => {
    const round = (y: number) => Math.round(y * 1e4) / 1e4;
    for (const { rough } of stones(name, 1)) {
      for (const change of [
        (y: number) => y,
        round,
        (y: number) => 0.37 * y,
        (y: number) => y + 0.2,
        (y: number) => round(2.5 * y - 0.1),
      ]) {
        const copies = [changed(rough[2], change), changed(rough[0], change)];
        expect(sharedScans(onAxis(rough), onAxis(copies))).toBe(2);
        expect(sharedScans(onAxis(copies), onAxis(rough))).toBe(2);
      }
    }
  });
});

it('takes no two measurements of one side for one, in any random world', () => {
  let pairs = 0;
  const taken: string[] = [];
  for (let world = 0; world < WORLDS; world++) {
    const stone = simulateNamed('randomised', 560_011, world * STONES_A_WORLD, { roughScans: 5, polishScans: 10 });
    for (const side of ['rough', 'polish'] as const) {
      const scans = onAxis(stone[side]);
      for (const [i, scan] of scans.entries()) {
        pairs += i;
        const others = scans.slice(0, i);
        if (sharedScans([scan], others) > 0) taken.push(`${stone.id}, ${side}, scan ${i + 1}`);
      }
    }
  }
  expect(pairs).toBe(55 * WORLDS);
  expect(taken).toEqual([]);
});

it('finds a scan on a fine axis that was resampled', () => {
  for (const { rough } of stones('low-noise-4', 1))
    for (const step of [1, 2, 3, 4]) expect(sharedScans(onAxis(rough), onAxis([reexport(step)(rough[1])]))).toBe(1);
});

it('counts a scan once that a side holds twice, and none that is upside down or has too little in common', () => {
  const [{ rough }] = stones('calibration', 1);
  const scans = onAxis(rough);
  expect(sharedScans([scans[0], scans[0]], [scans[0]])).toBe(1);
  expect(sharedScans(scans, onAxis([changed(rough[0], (y) => 1 - y)]))).toBe(0);
  const [low, high] = [scans[0].slice().fill(Number.NaN, 300), scans[0].slice().fill(Number.NaN, 0, 280)];
  expect(sharedScans([low], [high])).toBe(0);
  expect(sharedScans([low], [scans[0]])).toBe(1);
});
