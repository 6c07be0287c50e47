import fc from 'fast-check';
import { REFERENCE_POINTS, referenceAxis } from './axis.js';
import { Refusal, type RefusalKind } from './refusal.js';
import { prepareSide, type Scan, type ScanSet } from './scan-set.js';

const axis = referenceAxis();
/** A featureful trace without Math.sin: parabolic arcs of changing sign. */
const bump = (w: number, phase = 0) => {
  const t = ((w + phase) / 200) % 2;
  return 0.5 + (t < 1 ? t * (1 - t) : (t - 1) * (t - 2));
};
const scanOn = (wavenumbers: Float64Array, phase = 0, file?: string): Scan => ({
  wavenumbers,
  absorbance: wavenumbers.map((w) => bump(w, phase)),
  file,
});
const even = (from: number, to: number, points: number) =>
  Float64Array.from({ length: points }, (_, i) => from + (i * (to - from)) / (points - 1));
const set = (...scans: Scan[]): ScanSet => ({ side: 'rough', scans, references: [] });
const refusal = (side: ScanSet): Refusal => {
  try {
    prepareSide(side);
  } catch (error) {
    if ((error as Error).name === 'Refusal') return error as Refusal;
    throw error;
  }
  throw new Error('nothing was refused');
};
const expectRefusal = (side: ScanSet, kind: RefusalKind, ...words: string[]) => {
  const caught = refusal(side);
  expect(caught.kind).toBe(kind);
  for (const word of ['rough', ...words]) expect(caught.detail).toContain(word);
};

describe('interpolation', () => {
  it('keeps a scan on the reference axis as it is', () => {
    const side = prepareSide(set(scanOn(axis)));
    expect(side.count).toBe(1);
    expect(Array.from(side.spectra)).toEqual(Array.from(axis, (w) => Math.fround(bump(w))));
    expect(side.shortCoverage).toBe(false);
  });

  it('is linear between points further apart, and says NaN beyond the ends or fills them', () => {
    const wavenumbers = even(900, 3000, 211);
    const scan = scanOn(wavenumbers);
    const masked = prepareSide(set(scan));
    const { spectra, shortCoverage } = prepareSide(set(scan), 'bridged');
    expect([masked.shortCoverage, shortCoverage]).toEqual([true, true]);
    for (let j = 0; j < REFERENCE_POINTS; j++) {
      const inside = axis[j] >= 900 && axis[j] <= 3000;
      expect(masked.spectra[j]).toBe(inside ? spectra[j] : Number.NaN);
      const position = Math.min(210, Math.max(0, (axis[j] - 900) / 10));
      const i = Math.min(209, Math.floor(position));
      const y = scan.absorbance[i] + (position - i) * (scan.absorbance[i + 1] - scan.absorbance[i]);
      expect(Math.abs(spectra[j] - y)).toBeLessThan(1e-6);
    }
  });

  it('allows the axis to stop short by one step of the reference axis', () => {
    const covering = (from: number, to: number) => prepareSide(set(scanOn(even(from, to, 2000)))).shortCoverage;
    expect(covering(500.4, 5980.6)).toBe(false);
    expect(covering(500.5, 6100)).toBe(true);
    expect(covering(400, 5980.5)).toBe(true);
  });

  it('never gives anything but a side of finite numbers or a refusal, on any axis', () => {
    const number = fc.double({ noNaN: false });
    const axes = fc
      .uniqueArray(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 50, maxLength: 80 })
      .map((values) => Float64Array.from(new Set(values.map((v) => v + 0))).sort())
      .filter((values) => values.length >= 50);
    fc.assert(
      fc.property(axes, fc.array(number, { minLength: 80, maxLength: 80 }), (wavenumbers, values) => {
        try {
          const absorbance = Float64Array.from(values.slice(0, wavenumbers.length));
          const scans = set({ wavenumbers, absorbance });
          expect(prepareSide(scans, 'bridged').spectra.every(Number.isFinite)).toBe(true);
          expect(prepareSide(scans).spectra.some(Number.isFinite)).toBe(true);
        } catch (error) {
          expect((error as Error).name).toBe('Refusal');
        }
      }),
    );
  });
});

describe('refusals', () => {
  const altered = (change: (y: Float64Array) => void): Scan => {
    const scan = scanOn(axis, 0, 'b.dpt');
    change(scan.absorbance);
    return scan;
  };

  it('names the scan that is not finite', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const scan = altered((y) => {
        y[300] = value;
      });
      expectRefusal(set(scanOn(axis), scan), 'non_finite', 'b.dpt', 'non-finite value(s) (nan/inf) in the data');
    }
  });

  it('refuses values of 1e300 before they overflow, as no absorbance, and takes those of 1e-300 as flat', () => {
    const scaled = (factor: number) =>
      altered((y) => {
        y.forEach((value, i) => {
          y[i] = value * factor;
        });
      });
    expectRefusal(set(scaled(1e300)), 'unparseable', 'bounds of an absorbance');
    expectRefusal(set(scaled(1e-300)), 'flat');
    expect(prepareSide(set(scaled(1e-6))).count).toBe(1);
  });

  it('refuses a flat scan, a straight line, and a scan that is flat where the encoders look', () => {
    const phrase = 'scan(s) are flat (zero variance) and carry no identity';
    expectRefusal(
      set(
        scanOn(axis),
        altered((y) => y.fill(0.25)),
      ),
      'flat',
      'b.dpt',
      phrase,
    );
    expectRefusal(set(altered((y) => y.set(axis.map((w) => 3 - w / 2000)))), 'flat', phrase);
    const wavenumbers = even(400, 8000, 3801);
    const outside = (w: number) => w < 488 || w > 5993 || (w > 2310 && w < 2380) || (w > 2850 && w < 2960);
    const absorbance = wavenumbers.map((w) => (outside(w) ? bump(w) : 0.5));
    expectRefusal(set({ wavenumbers, absorbance }), 'flat', phrase);
  });

  it.each([
    [6000, 12000, '492-5989'],
    [40, 400, '492-5989'],
    [5900, 12000, '492-5900'],
    [2300, 2390, '492-2300, 2390-5989'],
  ])('refuses an axis from %p to %p, with the exact words, and does not call it flat', (from, to, range) => {
    const alone = refusal(set(scanOn(even(from, to, 500))));
    expect([alone.kind, alone.detail]).toEqual([
      'no_identity',
      `rough: scan(s) carry no identity: ${range} cm^-1 missing in the scan`,
    ]);
    const [one, other] = [scanOn(axis), scanOn(even(from, to, 500))];
    expect(refusal(set(one, other)).detail).toMatch(/ missing in scan 2$/);
    const named = refusal(set(one, { ...other, file: 'a/S1_2.csv' }));
    expect([named.file, named.detail]).toEqual(['a/S1_2.csv', expect.stringMatching(/ missing in a\/S1_2.csv$/)]);
  });

  it.each<[string, [number, number][], string | null]>([
    [
      'all but 1680 to 2700',
      [
        [492, 1680],
        [2700, 5989],
      ],
      '492-1680, 2700-5989',
    ],
    ['400 to 1400', [[400, 1400]], '492-1400'],
    [
      '1000 to 1500 and 2700 to 4000',
      [
        [1000, 1500],
        [2700, 4000],
      ],
      '1000-1500, 2700-4000',
    ],
    ['1650 to 2700', [[1650, 2700]], '1650-2700'],
    ['1650 to 2250', [[1650, 2250]], null],
    ['1000 to 1500', [[1000, 1500]], '1000-1500'],
    ['1300 to 1400', [[1300, 1400]], '1300-1400'],
    ['1420 to 1440', [[1420, 1440]], '1420-1440'],
    ['1500 to 1600', [[1500, 1600]], '1500-1600'],
    ['1000 to 1300', [[1000, 1300]], null],
    ['1600 to 1700', [[1600, 1700]], null],
    ['all above 4000', [[4000, 6000]], null],
    [
      'all below 650, and above 4000',
      [
        [400, 650],
        [4000, 6000],
      ],
      null,
    ],
  ])('without %s', (_, holes, range) => {
    const left = even(400, 6000, 5601).filter((w) => !holes.some(([from, to]) => w > from && w < to));
    const scans = set({ ...scanOn(left), file: 'S1.csv' });
    if (range === null) expect(prepareSide(scans).shortCoverage).toBe(true);
    else expect(refusal(scans).detail).toBe(`rough: scan(s) carry no identity: ${range} cm^-1 missing in S1.csv`);
  });

  it('names eight ranges at most', () => {
    const left = even(400, 6000, 5601).filter((w) => w % 100 < 25);
    expect(refusal(set(scanOn(left))).detail).toMatch(
      /^rough: scan\(s\) carry no identity: 492-500, 524-600, .* and 48 more cm\^-1/,
    );
  });

  it('warns of a hole, and of an end that is missing, and of nothing else', () => {
    const fine = even(480, 6000, 2761);
    expect(prepareSide(set(scanOn(fine))).shortCoverage).toBe(false);
    expect(prepareSide(set(scanOn(fine.filter((w) => w < 1750 || w > 1800)))).shortCoverage).toBe(true);
    expect(prepareSide(set(scanOn(fine.filter((w) => w <= 4000)))).shortCoverage).toBe(true);
  });

  it('refuses an empty side', () => expectRefusal(set(), 'unparseable', 'no parseable spectra'));
});

describe('digest', () => {
  const scans = [scanOn(axis), scanOn(axis, 31), scanOn(even(400, 4000, 900))];
  const digest = (...of: Scan[]) => prepareSide(set(...of)).digest;

  it('is 64 hex digits, whatever the order, file or sharing of axes, on every machine', () => {
    const copies = scans.map(({ wavenumbers, absorbance }) => ({
      wavenumbers: wavenumbers.slice(),
      absorbance: absorbance.slice(),
      file: 'x.dpt',
    }));
    expect(digest(...scans)).toMatch(/^[0-9a-f]{64}$/);
    expect(digest(...copies.reverse())).toBe(digest(...scans));
    expect(digest(...scans).slice(0, 16)).toBe('037b6d94eee00a74');
  });

  it('distinguishes one value, one axis value and one scan more', () => {
    const changed = (change: (scan: Scan) => void) => {
      const scan = scanOn(axis.slice());
      change(scan);
      return digest(scan);
    };
    const digests = [
      digest(scans[0]),
      digest(scans[0], scans[0]),
      changed(({ absorbance }) => {
        absorbance[670] += 1e-15;
      }),
      changed(({ wavenumbers }) => {
        wavenumbers[0] -= 1e-12;
      }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('has one zero', () => {
    const zero = (value: number) => {
      const scan = scanOn(axis.slice());
      scan.absorbance[5] = value;
      return digest(scan);
    };
    expect(zero(-0)).toBe(zero(0));
  });

  it('counts scans that repeat an earlier one, axis included', () => {
    const duplicates = (...of: Scan[]) => prepareSide(set(...of)).duplicates;
    expect(duplicates(...scans)).toBe(0);
    expect(duplicates(scans[0], scans[1], scans[0], scans[0])).toBe(2);
    expect(duplicates(scans[0], { ...scans[0], wavenumbers: axis.map((w) => w + 1) })).toBe(0);
  });
});
