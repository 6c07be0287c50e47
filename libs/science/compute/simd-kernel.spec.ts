import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type DenseLayer, unitRows } from './port.js';
import { randomValues as random } from './random.js';
import { SimdKernel } from './simd-kernel.js';

const kernel = SimdKernel.create();

const transposed = (a: Float32Array, rows: number, columns: number) =>
  Float32Array.from({ length: rows * columns }, (_, i) => a[(i % rows) * columns + Math.floor(i / rows)]);

/** The documented order of summation, in scalar float32: blocks of 256 along k. */
function reference(a: Float32Array, b: Float32Array, n: number, k: number, m: number, start?: Float32Array) {
  const out = new Float32Array(n * m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let total = start ? start[i * m + j] : 0;
      for (let block = 0; block < k; block += 256) {
        let sum = 0;
        for (let l = block; l < Math.min(block + 256, k); l++) {
          sum = Math.fround(sum + Math.fround(a[i * k + l] * b[l * m + j]));
        }
        total = block === 0 && !start ? sum : Math.fround(total + sum);
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
        const packed = kernel.pack(b, k, m);
        expect(bytes(kernel.product(a, packed, n, k, m)).equals(truth)).toBe(true);
        packed.release();
      }),
      { numRuns: 60 },
    );
  });

  it('accumulates a gradient on top of what is there', () => {
    const [k, n, m] = [300, 19, 33];
    const a = random(1, n * k);
    const b = random(2, k * m);
    const start = random(3, n * m);
    const out = start.slice();
    expect(kernel.productLeftTransposed(transposed(a, n, k), b, k, n, m, out, true)).toBe(out);
    expect(bytes(out).equals(bytes(reference(a, b, n, k, m, start)))).toBe(true);
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
    expect([...kernel.productLeftTransposed(empty, empty, 0, 2, 1, Float32Array.of(5, 6), true)]).toEqual([5, 6]);
  });

  it('refuses an operand that its memory cannot take', () => {
    const untouched = new Float32Array(2 ** 28);
    expect(() => kernel.pack(untouched, 1, 2 ** 28)).toThrow('does not fit');
    expect([...kernel.product(Float32Array.of(2), Float32Array.of(3), 1, 1, 1)]).toEqual([6]);
  });

  it('refuses arrays that are shorter than their shape', () => {
    expect(() => kernel.product(random(1, 5), random(1, 6), 2, 3, 2)).toThrow('2 x 3 needs 6 values, got 5');
    expect(() => kernel.product(random(1, 6), random(1, 6), 2, 3, 2, new Float32Array(3))).toThrow('result');
    expect(() => kernel.product(random(1, 6), random(1, 6), 2.5, 2, 2)).toThrow('not a matrix shape');
  });
});

describe('dense layers', () => {
  const layer = (inputs: number, outputs: number, activation: DenseLayer['activation']): DenseLayer => ({
    inputs,
    outputs,
    weights: random(11, inputs * outputs, 0.2),
    bias: random(12, outputs),
    activation,
  });

  it('give a row the same bits in any batch, at any position', () => {
    const packed = (['identity', 'gelu'] as const).map((activation) => kernel.packLayer(layer(331, 45, activation)));
    const arbitrary = fc.record({
      seed: fc.integer(),
      rows: fc.integer({ min: 1, max: 70 }),
      at: fc.nat(),
      kind: fc.nat({ max: 1 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ seed, rows, at, kind }) => {
        const position = at % rows;
        const row = random(seed, 331, 3);
        const batch = random(seed + 1, rows * 331, 100);
        batch.set(row, position * 331);
        const alone = kernel.dense(row, 1, packed[kind]);
        const within = kernel.dense(batch, rows, packed[kind]).subarray(position * 45, (position + 1) * 45);
        expect(bytes(within).equals(bytes(alone))).toBe(true);
      }),
      { numRuns: 200 },
    );
    for (const one of packed) one.release();
  });

  it('add the bias and apply the activation', () => {
    const described = layer(20, 5, 'gelu');
    const packed = kernel.packLayer(described);
    const batch = random(13, 3 * 20, 4);
    const sums = reference(batch, described.weights, 3, 20, 5);
    const result = kernel.dense(batch, 3, packed);
    result.forEach((value, i) => {
      expect(Math.abs(value - geluTruth(Math.fround(sums[i] + described.bias[i % 5])))).toBeLessThan(1e-6);
    });
    packed.release();
  });

  it('make a perceptron to the bits of each layer alone', () => {
    const shapes = fc.record({
      seed: fc.integer(),
      rows: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(515)),
      inputs: fc.integer({ min: 1, max: 300 }),
      size: fc.integer({ min: 1, max: 300 }),
      outputs: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(shapes, ({ seed, rows, inputs, size, outputs }) => {
        const packed = kernel.packPerceptron({
          linear: layer(inputs, outputs, 'identity'),
          hidden: layer(inputs, size, 'gelu'),
          output: layer(size, outputs, 'identity'),
        });
        const batch = random(seed, rows * inputs, 2);
        const straight = kernel.dense(batch, rows, packed.linear);
        const bent = kernel.dense(kernel.dense(batch, rows, packed.hidden), rows, packed.output);
        const sums = bent.map((value, i) => value + straight[i]);
        const result = kernel.perceptron(batch, rows, packed);
        packed.release();
        expect(bytes(result).equals(bytes(unitRows(sums, rows, outputs)))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('give the same bytes on every machine and version of Node', () => {
    const packed = kernel.packLayer(layer(671, 64, 'gelu'));
    const result = kernel.dense(random(14, 9 * 671, 2), 9, packed);
    expect(createHash('sha256').update(bytes(result)).digest('hex')).toBe(
      '7ef0852c1822a0cd4da7d6551fc158c580e0f5692d0ab3a1f3eb75037f3a4a19',
    );
    packed.release();
  });

  it('refuse a packed layer that is not theirs or was released', () => {
    const packed = SimdKernel.create().packLayer(layer(4, 4, 'identity'));
    expect(() => kernel.dense(random(1, 4), 1, packed)).toThrow('another kernel');
    const released = kernel.packLayer(layer(4, 4, 'identity'));
    released.release();
    released.release();
    expect(() => kernel.dense(random(1, 4), 1, released)).toThrow('released');
    expect(() => kernel.packLayer({ ...layer(4, 4, 'gelu'), bias: new Float32Array(3) })).toThrow('bias');
  });
});

describe('GELU', () => {
  const values = Float32Array.from({ length: 240_001 }, (_, i) => (i - 120_000) / 8_000);

  it('agrees with the truth to 1e-6, relative above 1', () => {
    const result = kernel.gelu(values);
    const worst = values.reduce(
      (max, x, i) => Math.max(max, Math.abs(result[i] - geluTruth(x)) / Math.max(1, Math.abs(x))),
      0,
    );
    expect(worst).toBeLessThan(1e-6);
  });

  it('has the gradient of its own truth', () => {
    const upstream = random(21, values.length);
    const gradient = kernel.geluGradient(values, upstream);
    const worst = values.reduce((max, x, i) => {
      const slope = (geluTruth(x + 1e-5) - geluTruth(x - 1e-5)) / 2e-5;
      return Math.max(max, Math.abs(gradient[i] - slope * upstream[i]));
    }, 0);
    expect(worst).toBeLessThan(3e-6);
  });

  it('keeps to its limits far out and lets NaN through', () => {
    const far = kernel.gelu(Float32Array.of(-3e38, -100, -12, 12, 100, 3e38, Number.NaN));
    expect([...far.subarray(3)]).toEqual([12, 100, Math.fround(3e38), Number.NaN]);
    for (const x of far.subarray(0, 3)) expect(Math.abs(x)).toBeLessThan(1e-30);
    const slopes = kernel.geluGradient(Float32Array.of(-3e38, -50, 50, 3e38), Float32Array.of(1, 1, 1, 1));
    expect([...slopes].map((x) => Math.round(x * 1e6) / 1e6 + 0)).toEqual([0, 0, 1, 1]);
  });
});

it('reuses its memory', () => {
  const own = SimdKernel.create();
  const weights = random(31, 200 * 200);
  const once = () => {
    const packed = own.pack(weights, 200, 200);
    own.product(weights, packed, 200, 200, 200);
    own.productLeftTransposed(weights, weights, 200, 200, 200);
    packed.release();
  };
  once();
  const held = own.memoryBytes;
  for (let i = 0; i < 200; i++) once();
  expect(own.memoryBytes).toBe(held);
});
