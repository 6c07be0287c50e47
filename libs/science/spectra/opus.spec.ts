import fc from 'fast-check';
import {
  OPUS,
  type OpusBlock,
  opusData,
  opusFile,
  opusParameters,
  opusScan,
  opusStatus,
} from '../../../lab/simulator/opus-writer.js';
import { Refusal, type RefusalKind } from './refusal.js';
import { readScanFile } from './scan-file.js';

const FIRST = 4000;
const LAST = 600;
const POINTS = 120;
const curve = (phase = 0, points = POINTS) =>
  Float32Array.from({ length: points }, (_, i) => ((i * 7 + phase) % 13) / 9);
const data = (values: Float32Array, type: number = OPUS.absorbance): OpusBlock => ({ type, bytes: opusData(values) });
const status = (
  values: Float32Array,
  type: number = OPUS.absorbance,
  changes: Record<string, number | string> = {},
) => ({
  type: (type | OPUS.status) >>> 0,
  bytes: opusParameters({ ...opusStatus(values, FIRST, LAST), ...changes }),
});
const block = (values: Float32Array, type: number = OPUS.absorbance, changes = {}) => [
  data(values, type),
  status(values, type, changes),
];
const read = (bytes: Uint8Array, name = 'AB12.0') => readScanFile(name, bytes);
/** The ordinates in the file's order. */
const ordinates = (bytes: Uint8Array) => {
  const { firstWavenumber, lastWavenumber, scan } = read(bytes);
  return Array.from(firstWavenumber > lastWavenumber ? scan.absorbance.toReversed() : scan.absorbance);
};
const refusalOf = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (error) {
    if ((error as Error).name === 'Refusal') return error as Refusal;
    throw error;
  }
  throw new Error('nothing was refused');
};
const expectRefusal = (bytes: Uint8Array, reason: string, kind: RefusalKind = 'unparseable') => {
  const { kind: caught, detail } = refusalOf(() => read(bytes));
  expect(detail).toContain(reason);
  expect(detail).toMatch(/^AB12\.0: .+; .+/);
  expect(caught).toBe(kind);
};
const A = curve();
const B = curve(5);

describe('an absorbance block', () => {
  it('is read with its axis and its factor, ascending', () => {
    const reading = read(opusFile(block(A, OPUS.absorbance, { CSF: 0.5, MXY: 12 / 18, MNY: 0 })));
    expect(reading).toMatchObject({
      file: 'AB12.0',
      format: 'opus',
      block: '0x100f',
      points: POINTS,
      firstWavenumber: FIRST,
      lastWavenumber: LAST,
      min: 0,
      max: 0.5 * Math.fround(12 / 9),
    });
    const { wavenumbers, absorbance } = reading.scan;
    for (let i = 0; i < POINTS; i++) {
      expect(Math.abs(wavenumbers[i] - (LAST + (i * (FIRST - LAST)) / (POINTS - 1)))).toBeLessThan(1e-9);
      expect(absorbance[i]).toBe(0.5 * A[POINTS - 1 - i]);
    }
  });

  it('may have an ascending axis', () => {
    const { scan, firstWavenumber } = read(opusScan(A, 600, 4000));
    expect(firstWavenumber).toBe(600);
    expect(Array.from(scan.absorbance)).toEqual(Array.from(A));
  });

  it.each([1, 42, 1813])('may be longer than its points by %d words, and x is not stretched', (extra) => {
    const longer = new Float32Array(POINTS + extra).fill(99);
    longer.set(A);
    const bytes = opusFile([data(longer), status(A)]);
    expect(read(bytes).points).toBe(POINTS);
    expect(ordinates(bytes)).toEqual(Array.from(A));
  });

  it('may be nearly flat', () => {
    const faint = A.map((value) => value * 0.005);
    expect(ordinates(opusFile(block(faint)))).toEqual(Array.from(faint));
  });

  it('is found without a directory entry, among deleted ones, in any order and with unknown parameters', () => {
    const bare = opusFile(block(A), { bare: true });
    const deleted = { type: 0, bytes: new Uint8Array(0), words: 1e9, offset: 1e9 };
    const { NPT, END: _, ...rest } = opusStatus(A, FIRST, LAST);
    const odd = opusParameters({ XYZ: 'caf\u00e9\0junk', ...rest, QQQ: 7.5, NPT, NSN: 3 });
    const mixed = opusFile([deleted, { type: 0x101f, bytes: odd }, deleted, data(A)]);
    for (const bytes of [bare, mixed]) expect(ordinates(bytes)).toEqual(Array.from(A));
  });

  it('is read whatever the program version, the extension and the alignment in memory', () => {
    const bytes = opusFile(block(A));
    new DataView(bytes.buffer).setFloat64(4, Number.NaN, true);
    for (const name of ['x.0', 'x.1', 'x.001', 'x.0199', 'x.0000', 'x', 'x.dpt', 'x.spectrum']) {
      expect(read(bytes, name).points).toBe(POINTS);
    }
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(ordinates(shifted.subarray(3))).toEqual(Array.from(A));
  });
});

describe('where several blocks look right', () => {
  const original = OPUS.absorbance | OPUS.original;

  it('the processed one goes before the one as measured, in any order', () => {
    for (const blocks of [
      [...block(A), ...block(B, original)],
      [...block(B, original), ...block(A)],
    ]) {
      const bytes = opusFile(blocks);
      expect(read(bytes)).toMatchObject({
        block: '0x100f',
        choice: expect.stringContaining('before the one as measured'),
      });
      expect(ordinates(bytes)).toEqual(Array.from(A));
    }
  });

  it('the one as measured is taken where it is the only one that qualifies', () => {
    const lone = opusFile(block(B, original));
    expect(read(lone).block).toBe('0x4000100f');
    const withoutStatus = opusFile([data(A), ...block(B, original)]);
    const overPoints = opusFile([...block(A, OPUS.absorbance, { DXU: 'PNT' }), ...block(B, original)]);
    for (const bytes of [lone, withoutStatus, overPoints]) expect(ordinates(bytes)).toEqual(Array.from(B));
  });

  it('a broken processed one is never replaced by the one as measured', () => {
    const broken = opusFile([data(A), status(A, OPUS.absorbance, { MXY: 9 }), ...block(B, original)]);
    expectRefusal(broken, 'inconsistent');
  });

  it('two of a type are paired with their status by its extremes, and the later is taken', () => {
    const high = A.map((value) => value + 2);
    for (const blocks of [
      [data(A), data(high), status(A), status(high)],
      [data(A), data(high), status(high), status(A)],
      [data(A), status(A), data(high), status(high)],
    ]) {
      const bytes = opusFile(blocks);
      expect(ordinates(bytes)).toEqual(Array.from(high));
      expect(read(bytes).choice).toContain('the last of 2');
    }
  });

  it('report, history and compound blocks that look like absorbance are ignored', () => {
    const tiny = new Float32Array(POINTS).fill(1.68e-44);
    const reports = [0x60100f, 0x48100f, 0x28100f, 0x8100f].map((type) => data(tiny, type));
    const bytes = opusFile([...reports, ...block(A), ...reports]);
    expect(ordinates(bytes)).toEqual(Array.from(A));
  });

  it('the parameter PLF decides nothing', () => {
    const plf = { type: 0x30, bytes: opusParameters({ PLF: 'AB' }) };
    expectRefusal(opusFile([plf, ...block(A, 0x407)]), 'it holds a single-channel spectrum and no absorbance');
    const transmittance = { type: 0x30, bytes: opusParameters({ PLF: 'TR' }) };
    expect(ordinates(opusFile([transmittance, ...block(A)]))).toEqual(Array.from(A));
  });
});

describe('a file without an absorbance spectrum', () => {
  const points = { DXU: 'PNT', FXV: 0, LXV: POINTS - 1 };
  const interferogram = block(A, 0x807, points);
  it.each<[string, OpusBlock[]]>([
    ['an interferogram', [...interferogram, ...block(A, 0x80b, points)]],
    ['a single-channel spectrum', [...interferogram, ...block(A, 0x407), ...block(A, 0x40b)]],
    ['a single-channel spectrum', [...interferogram, data(new Float32Array(POINTS + 42), 0x407), status(A, 0x407)]],
    ['reflectance', [...block(A, 0x300f), ...block(A, 0x4000300f), ...block(A, 0x407)]],
    ['transmittance', [...block(A, 0x140f), ...block(A, 0x40b)]],
    ['an ATR spectrum', [...block(A, 0x400f), ...interferogram]],
    ['a Kubelka-Munk spectrum', block(A, 0x180f)],
    ['a Raman spectrum', block(A, 0x2807)],
  ])('is refused as holding %s', (name, blocks) => {
    expectRefusal(opusFile(blocks), `it holds ${name} and no absorbance; process the measurement to an absorbance`);
  });

  it('is refused as a series, as compact, as a derivative, over another unit, or empty', () => {
    expectRefusal(opusFile(block(A, OPUS.absorbance | (2 << 19))), 'series');
    expectRefusal(opusFile(block(A, OPUS.absorbance | (4 << 19))), 'compact');
    expectRefusal(opusFile(block(A, OPUS.absorbance | (1 << 17))), 'derivative');
    expectRefusal(opusFile(block(A, OPUS.absorbance, { DXU: 'PNT' })), 'not over wavenumbers');
    expectRefusal(opusFile(block(A, OPUS.absorbance - 1)), 'the imaginary part of the absorbance alone');
    expectRefusal(opusFile(block(A, OPUS.absorbance, { FXV: -100 })), 'goes below 0 cm^-1');
    for (const far of [{ FXV: 5e5 }, { LXV: 4e8 }])
      expectRefusal(opusFile(block(A, OPUS.absorbance, far)), 'goes beyond 100000 cm^-1');
    expectRefusal(opusFile([data(A)]), 'no status block');
    expectRefusal(opusFile([]), 'it holds no spectrum');
  });
});

describe('a truncated or inconsistent file', () => {
  const cause = 'the OPUS file is truncated or inconsistent';

  it('is refused at whatever byte it ends', () => {
    const bytes = opusFile([...block(A), { type: 0xa0, bytes: opusParameters({ SNM: 'a stone', CNM: 'a lab' }) }]);
    expect(read(bytes).points).toBe(POINTS);
    for (let length = 4; length < bytes.length; length++) expectRefusal(bytes.subarray(0, length), cause);
  });

  it('is refused where points, extremes, axis or offsets do not fit', () => {
    const changes: Record<string, number | string>[] = [
      { NPT: POINTS + 1 },
      { NPT: 1 },
      { NPT: -5 },
      { MXY: 1.334 },
      { MNY: -0.001 },
      { FXV: LAST },
      { FXV: Number.NaN },
      { LXV: Number.POSITIVE_INFINITY },
      { CSF: 2 },
      { FXV: 1e300, LXV: 1e300 + 1 },
    ];
    for (const change of changes) expectRefusal(opusFile([data(A), status(A, OPUS.absorbance, change)]), cause);
    for (const key of ['NPT', 'FXV', 'LXV', 'MXY', 'MNY']) {
      const { [key]: _, ...rest } = opusStatus(A, FIRST, LAST);
      expectRefusal(opusFile([data(A), { type: 0x101f, bytes: opusParameters(rest) }]), cause);
    }
    for (const entry of [{ offset: -4 }, { words: -1 }, { offset: 2 ** 31 - 1 }, { words: 2 ** 31 - 1 }]) {
      expectRefusal(opusFile([{ ...data(A), ...entry }, status(A)]), cause);
    }
    for (const [at, value] of [
      [12, 0],
      [12, -24],
      [12, 2 ** 31 - 1],
      [20, 0],
      [20, -1],
      [20, 2 ** 31 - 1],
    ]) {
      const bytes = opusFile(block(A));
      new DataView(bytes.buffer).setInt32(at, value, true);
      expectRefusal(bytes, cause);
    }
  });

  it('is refused for values that are not finite', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const values = curve();
      values[7] = value;
      expectRefusal(opusFile([data(values), status(A)]), 'non-finite value(s) (nan/inf) in the data', 'non_finite');
    }
  });

  it('is refused below 50 points, above 100,000, and for whole numbers', () => {
    expect(read(opusFile(block(curve(0, 50)))).points).toBe(50);
    expectRefusal(opusFile(block(curve(0, 49))), '49 points');
    expect(read(opusFile(block(curve(0, 100_000)))).points).toBe(100_000);
    expectRefusal(opusFile(block(curve(0, 100_001))), 'more than 100000 points');
    expectRefusal(opusFile(block(A, OPUS.absorbance, { DPF: 2 })), 'whole numbers');
  });
});

describe('any bytes', () => {
  const survives = (bytes: Uint8Array) => {
    try {
      const { scan } = read(bytes);
      if (!scan.absorbance.every(Number.isFinite) || !scan.wavenumbers.every(Number.isFinite)) throw new Error('NaN');
    } catch (error) {
      if ((error as Error).name !== 'Refusal') throw error;
    }
  };
  const small = opusFile([...block(A), ...block(B, OPUS.absorbance | OPUS.original), ...block(A, 0x407)]);

  it('behind the magic give a reading or a refusal', () => {
    const magic = [0x0a, 0x0a, 0xfe, 0xfe];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => survives(Uint8Array.from([...magic, ...bytes]))),
      { numRuns: 2000 },
    );
  });

  it('of a real layout, changed anywhere, give a reading or a refusal', () => {
    const change = fc.tuple(fc.oneof(fc.nat(600), fc.nat(small.length - 1)), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = small.slice();
        for (const [at, value] of changes) bytes[at] = value;
        survives(bytes);
      }),
      { numRuns: 5000 },
    );
  });

  it('full of blocks that look alike are not tried beyond a bound', () => {
    const many = Array.from({ length: 200 }, () => data(A));
    const none = Array.from({ length: 200 }, () => status(A, OPUS.absorbance, { MXY: 77 }));
    expectRefusal(opusFile([...many, ...none]), 'inconsistent');
    expectRefusal(opusFile(Array.from({ length: 600 }, () => data(A))), 'inconsistent');
  });
});
