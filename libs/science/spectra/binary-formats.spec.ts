import fc from 'fast-check';
import { Refusal } from './refusal.js';
import { readScanFile } from './scan-file.js';
import { sp, spa, spc } from './test/binary.js';

const values = Array.from({ length: 120 }, (_, i) => Math.fround(0.5 + 0.4 * Math.sin(i / 9)));
const refusal = (bytes: Uint8Array): string => {
  try {
    readScanFile('S1.x', bytes);
  } catch (error) {
    if (error instanceof Refusal) return error.detail;
    throw error;
  }
  throw new Error('it was read');
};
const offs = (bytes: Uint8Array): number => {
  const { absorbance } = readScanFile('S1.x', bytes).scan;
  return Math.max(...values.map((value, i) => Math.abs(value - absorbance[119 - i])));
};
const AXIS = { points: 120, firstWavenumber: 4000, lastWavenumber: 600 };

describe('a Galactic SPC file', () => {
  it('is read in floating point and in whole numbers, in either byte order, and in its older form', () => {
    expect(readScanFile('a', spc({ values, log: 'APODIZATION = Happ-Genzel\r\n' }))).toMatchObject({
      ...{ format: 'spc', ...AXIS },
      acquired: {
        name: 'S1',
        instrument: 'Nicolet',
        date: '2026-11-28 09:05',
        resolution: 8,
        apodisation: 'Happ-Genzel',
      },
    });
    expect(offs(spc({ values }))).toBe(0);
    expect(offs(spc({ values, version: 0x4c }))).toBe(0);
    for (const version of [0x4b, 0x4c, 0x4d] as const) {
      expect(offs(spc({ values, version, exponent: 1 }))).toBeLessThan(1e-9);
      expect(offs(spc({ values, version, exponent: 1, short: true }))).toBeLessThan(2e-5);
    }
    const signed = values.map((value) => value - 0.5);
    const { scan } = readScanFile('a', spc({ values: signed, version: 0x4d, exponent: 1 }));
    expect(scan.absorbance[0]).toBeCloseTo(signed[119], 8);
  });

  it('is read over an axis of its own', () => {
    const axis = values.map((_, i) => 4000 - 25 * i - (i % 2));
    const { scan } = readScanFile('a', spc({ values, axis }));
    expect(Array.from(scan.wavenumbers)).toEqual(axis.toReversed());
  });

  it('is refused by what else it holds', () => {
    for (const [parts, word] of [
      [{ xType: 13 }, 'a Raman shift'],
      [{ xType: 3 }, 'nanometres'],
      [{ yType: 128 }, 'transmittance'],
      [{ yType: 4 }, 'counts'],
      [{ flags: 4 }, 'several spectra'],
      [{ modified: 1 << 14 }, 'smoothing'],
      [{ log: 'Savitzky-Golay smoothing, 9 points' }, 'a step of processing'],
    ] as const)
      expect(refusal(spc({ values, ...parts }))).toContain(word);
    expect(refusal(spc({ values }).subarray(0, 700))).toContain('truncated');
    expect(refusal(spc({ values: values.map(() => Number.NaN) }))).toContain('non-finite');
  });
});

describe('a Thermo OMNIC SPA file', () => {
  it('is read, with what it says of the measurement', () => {
    const history =
      'Collect Sample\r\n Resolution:\t4.000 from 600 to 4000\r\n Apodization:\tHapp-Genzel\r\n Bench Serial Number:AKI1';
    expect(readScanFile('a', spa({ values, history }))).toMatchObject({
      ...{ format: 'spa', ...AXIS },
      acquired: {
        name: 'S1 rough',
        date: '2026-11-28 09:05',
        resolution: 4,
        apodisation: 'Happ-Genzel',
        instrument: 'AKI1',
      },
    });
    expect(offs(spa({ values }))).toBe(0);
  });

  it('is refused by what else it holds', () => {
    expect(refusal(spa({ values, yUnit: 16 }))).toContain('its values are transmittance');
    expect(refusal(spa({ values, yUnit: 22, xUnit: 2 }))).toContain('its axis is data points');
    expect(refusal(spa({ values, xUnit: 32 }))).toContain('a Raman shift');
    expect(refusal(spa({ values, yUnit: 77 }))).toContain('of type 77');
    expect(refusal(spa({ values, history: 'Automatic Smooth' }))).toContain('(Smooth)');
    expect(refusal(spa({ values, count: 121 }))).toContain('121 points');
    expect(refusal(spa({ values, count: 0xffffffff }))).toContain('4294967295 points');
    expect(refusal(spa({ values }).subarray(0, 1100))).toContain('truncated');
    expect(refusal(spa({ values }).subarray(0, 310))).toContain('no spectrum');
  });
});

describe('a PerkinElmer SP file', () => {
  it('is read', () => {
    expect(readScanFile('a', sp({ values }))).toMatchObject({ format: 'sp', ...AXIS, acquired: { name: 'S1' } });
    expect(offs(sp({ values }))).toBe(0);
  });

  it('is refused by what else it holds', () => {
    expect(refusal(sp({ values, y: '%T' }))).toContain('its values are %T');
    expect(refusal(sp({ values, x: 'nm' }))).toContain('its axis is nm');
    expect(refusal(sp({ values, history: 'Baseline correction' }))).toContain('a step of processing');
    expect(refusal(sp({ values, count: 119 }))).toContain('119 points');
    expect(refusal(sp({ values }).subarray(0, 600))).toContain('truncated');
  });
});

it('is a reading of finite numbers or a refusal, changed anywhere and cut anywhere', () => {
  const some = values.slice(0, 60);
  const files = [
    spc({ values: some, log: 'x' }),
    spc({ values: some, version: 0x4d, exponent: 1 }),
    spa({ values: some, history: 'x' }),
    sp({ values: some }),
  ];
  const change = fc.tuple(
    fc.oneof(fc.nat(600), fc.nat(1300)),
    fc.oneof(fc.nat(255), fc.constantFrom(0, 255, 127, 128)),
  );
  const changes = fc.array(change, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...files), changes, fc.option(fc.nat(1500)), (file, changed, cut) => {
      const bytes = file.slice(0, cut ?? undefined);
      for (const [at, value] of changed) if (at < bytes.length) bytes[at] = value;
      try {
        const { scan } = readScanFile('a', bytes);
        expect(scan.absorbance.every(Number.isFinite) && scan.wavenumbers.every(Number.isFinite)).toBe(true);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }),
    { numRuns: 3000 },
  );
});
