import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { plainCompute } from './cpu-engines.js';
import { randomValues as random, randomPerceptron, worstDifference } from './random.js';
import { SimdKernel } from './simd-kernel.js';

const kernel = SimdKernel.create();

const transposed = (a: Float32Array, rows: number, columns: number) =>
  Float32Array.from({ length: rows * columns }, (_, i) => a[(i % rows) * columns + Math.floor(i / rows)]);

/** The documented order of summation, in scalar float32: blocks of 256 along k. */
function reference(a: Float32Array, b: Float32Array, n: number, k: number, m: number) {
  const out = new Float32Array(n * m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let total = 0;
      for (let block = 0; block < k; block += 256) {
        let sum = 0;
        for (let l = block; l < Math.min(block + 256, k); l++) {
          sum = Math.fround(sum + Math.fround(a[i * k + l] * b[l * m + j]));
        }
        total = block === 0 ? sum : Math.fround(total + sum);
      }
      out[i * m + j] = total;
    }
  }
  return out;
}

const geluTruth = (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
const bytes = (a: Float32Array) => Buffer.from(a.buffer, a.byteOffset, a.byteLength);
const shape = fc.record({
  seed: fc.integer(),
  n: fc.integer({ min: 0, max: 37 }),
  k: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 250, max: 530 })),
  m: fc.integer({ min: 1, max: 37 }),
});

describe('products', () => {
  it('sum in the documented order, to the last bit, in all three forms', () => {
    fc.assert(
      fc.property(shape, ({ seed, n, k, m }) => {
        const a = random(seed, n * k);
        const b = random(seed + 1, k * m);
        const truth = bytes(reference(a, b, n, k, m));
        expect(bytes(kernel.product(a, b, n, k, m)).equals(truth)).toBe(true);
        expect(bytes(kernel.productRightTransposed(a, transposed(b, k, m), n, k, m)).equals(truth)).toBe(true);
        if (n > 0) {
          const left = kernel.productLeftTransposed(transposed(a, n, k), b, k, n, m);
          expect(bytes(left).equals(truth)).toBe(true);
        }
        const packed = kernel.packTransposed(transposed(b, k, m), k, m);
        expect(bytes(kernel.product(a, packed, n, k, m)).equals(truth)).toBe(true);
        packed.release();
      }),
      { numRuns: 60 },
    );
  });

  it('goes over its chunk sizes without a trace', () => {
    const [k, n, m] = [4_500, 7, 18];
    const a = random(4, n * k);
    const b = random(5, k * m);
    const left = kernel.productLeftTransposed(transposed(a, n, k), b, k, n, m);
    expect(bytes(left).equals(bytes(reference(a, b, n, k, m)))).toBe(true);
    const tall = random(6, 1_300 * 9);
    const right = random(7, 9 * 40_000);
    const table = kernel.productRightTransposed(tall, right, 1_300, 9, 40_000);
    const last = reference(tall.subarray(1_299 * 9), transposed(right.subarray(39_990 * 9), 10, 9), 1, 9, 10);
    expect([...table.subarray(table.length - 10)]).toEqual([...last]);
  });

  it('takes nothing for an empty batch or an empty sum', () => {
    expect(kernel.product(new Float32Array(0), random(1, 6), 0, 2, 3)).toHaveLength(0);
    const empty = new Float32Array(0);
    expect([...kernel.productLeftTransposed(empty, empty, 0, 2, 1, Float32Array.of(5, 6))]).toEqual([0, 0]);
  });

  it('refuses an operand that its memory cannot take', () => {
    const untouched = new Float32Array(2 ** 28);
    expect(() => kernel.packTransposed(untouched, 1, 2 ** 28)).toThrow('does not fit');
    expect([...kernel.product(Float32Array.of(2), Float32Array.of(3), 1, 1, 1)]).toEqual([6]);
  });

  it('refuses arrays that are shorter than their shape', () => {
    expect(() => kernel.product(random(1, 5), random(1, 6), 2, 3, 2)).toThrow('2 x 3 needs 6 values, got 5');
    expect(() => kernel.product(random(1, 6), random(1, 6), 2, 3, 2, new Float32Array(3))).toThrow('result');
    expect(() => kernel.product(random(1, 6), random(1, 6), 2.5, 2, 2)).toThrow('not a matrix shape');
  });
});

describe('perceptrons', () => {
  it('give a row the same bits in any batch, at any position', () => {
    const packed = kernel.packPerceptron(randomPerceptron(331, 45, 19));
    const arbitrary = fc.record({ seed: fc.integer(), rows: fc.integer({ min: 1, max: 70 }), at: fc.nat() });
    fc.assert(
      fc.property(arbitrary, ({ seed, rows, at }) => {
        const position = at % rows;
        const row = random(seed, 331, 3);
        const batch = random(seed + 1, rows * 331, 100);
        batch.set(row, position * 331);
        const alone = kernel.perceptron(row, 1, packed);
        const within = kernel.perceptron(batch, rows, packed).subarray(position * 19, (position + 1) * 19);
        expect(bytes(within).equals(bytes(alone))).toBe(true);
      }),
      { numRuns: 200 },
    );
    packed.release();
  });

  it('agree with the truth, in chunks too', async () => {
    const shapes = fc.record({
      rows: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(515)),
      inputs: fc.integer({ min: 1, max: 300 }),
      size: fc.integer({ min: 1, max: 300 }),
      outputs: fc.integer({ min: 1, max: 40 }),
    });
    const truth = plainCompute();
    await fc.assert(
      fc.asyncProperty(shapes, async ({ rows, inputs, size, outputs }) => {
        const described = randomPerceptron(inputs, size, outputs);
        const packed = kernel.packPerceptron(described);
        const batch = random(rows, rows * inputs);
        const expected = await (await truth.perceptron(described)).apply(batch, rows);
        expect(worstDifference(kernel.perceptron(batch, rows, packed), expected)).toBeLessThan(1e-5);
        packed.release();
      }),
      { numRuns: 40 },
    );
  });

  it('give the same bytes on every machine and version of Node', () => {
    const packed = kernel.packPerceptron(randomPerceptron(671, 64, 32));
    const result = kernel.perceptron(random(14, 9 * 671, 2), 9, packed);
    expect(createHash('sha256').update(bytes(result)).digest('hex')).toBe(
      '8c914de603c1ca4e08631dd767691c533ee2ed3c99e05212ea47beaccd494a9a',
    );
    packed.release();
  });

  it('refuse layers that are not theirs or were released', () => {
    const described = randomPerceptron(4, 4, 4);
    expect(() => kernel.perceptron(random(1, 4), 1, SimdKernel.create().packPerceptron(described))).toThrow(
      'another kernel',
    );
    const released = kernel.packPerceptron(described);
    released.release();
    released.release();
    expect(() => kernel.perceptron(random(1, 4), 1, released)).toThrow('released');
    const short = { ...described, hidden: { ...described.hidden, bias: new Float32Array(3) } };
    expect(() => kernel.packPerceptron(short)).toThrow('bias');
  });
});

it('applies GELU to 1e-6, relative above 1, keeps to its limits far out and lets NaN through', () => {
  const layer = (outputs: number, weights: number[], bias: number[]) => ({
    ...{ inputs: 1, outputs, weights: Float32Array.from(weights), bias: Float32Array.from(bias) },
    activation: 'identity' as const,
  });
  // (1, gelu(x)), of length one.
  const packed = kernel.packPerceptron({
    linear: layer(2, [0, 0], [1, 0]),
    hidden: { ...layer(1, [1], [0]), activation: 'gelu' as const },
    output: layer(2, [0, 1], [0, 0]),
  });
  const geluOf = (values: Float32Array) => {
    const units = kernel.perceptron(values, values.length, packed);
    return Float64Array.from(values, (_, i) => units[2 * i + 1] / units[2 * i]);
  };
  const values = Float32Array.from({ length: 240_001 }, (_, i) => (i - 120_000) / 8_000);
  const result = geluOf(values);
  const worst = values.reduce(
    (max, x, i) => Math.max(max, Math.abs(result[i] - geluTruth(x)) / Math.max(1, Math.abs(x))),
    0,
  );
  expect(worst).toBeLessThan(1e-6);
  const [low, none, high, nan] = geluOf(Float32Array.of(-3e38, -12, 1e4, Number.NaN));
  expect([low, none, Math.round(high / 100), nan]).toEqual([0, 0, 100, Number.NaN]);
  packed.release();
});
