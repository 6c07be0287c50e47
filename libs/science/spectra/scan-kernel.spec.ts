import { uniform } from '#science/numerics/random';
import { REFERENCE_POINTS } from './axis.js';
import { type AxisPlan, planAxis, type Sampling } from './sampling.js';
import { ScanKernel } from './scan-kernel.js';

/** As AxisPlan describes it. */
function plainSample(y: Float64Array, plan: AxisPlan, sampling: Sampling): Float32Array {
  const { at, part, covered, first, begin, weights } = plan;
  return Float32Array.from(at, (left, j) => {
    if (sampling === 'masked' && !covered[j]) return Number.NaN;
    const average = weights.subarray(begin[j], begin[j + 1]);
    if (sampling === 'masked' && average.length > 0)
      return average.reduce((sum, weight, k) => sum + weight * y[first[j] + k], 0);
    return part[j] === 0 ? y[left] : y[left] + part[j] * (y[left + 1] - y[left]);
  });
}

describe('the scan kernel', () => {
  const next = uniform(3);
  const axis = (step: number) =>
    Float64Array.from({ length: Math.floor(5000 / step) }, (_, i) => 600 + step * (i + (i > 99 ? 40 : 0) + next() / 3));

  it('gives each reference point the bits of its definition, scans and axes growing and shrinking', () => {
    const kernel = new ScanKernel();
    for (const step of [13, 8.2, 3, 0.1, 20, 0.05]) {
      const plan = planAxis(axis(step));
      for (const sampling of ['masked', 'bridged'] as const) {
        const y = axis(step).map(() => next() - 0.5);
        const out = new Float32Array(REFERENCE_POINTS + 2).fill(7);
        kernel.hold(y);
        kernel.sample(plan, sampling, out, 1);
        expect(out).toEqual(Float32Array.of(7, ...plainSample(y, plan, sampling), 7));
      }
    }
  });

  it('tells values beyond the limit and flat ones from sound ones', () => {
    const kernel = new ScanKernel();
    const checked = (...values: number[]) => {
      kernel.hold(Float64Array.from(values));
      return kernel.check(9);
    };
    expect(checked(1, -9, 9)).toBe('sound');
    for (const value of [9.1, -9.1, Number.NaN, Number.NEGATIVE_INFINITY]) expect(checked(1, value, 2)).toBe('beyond');
    expect(checked(4, 4, 4)).toBe('flat');
    expect(checked(0, -0)).toBe('flat');
  });

  it('hands out the bytes behind their head with one nought for two', () => {
    const kernel = new ScanKernel();
    for (const values of [
      [1.5, -0, 0],
      [-0, -2],
    ]) {
      kernel.hold(Float64Array.from(values));
      const bytes = kernel.bytes(new Uint8Array(32).fill(6)).slice();
      expect(bytes.subarray(0, 32).every((byte) => byte === 6)).toBe(true);
      expect([...new Float64Array(bytes.buffer, 32)]).toEqual(values.map((value) => value + 0));
    }
  });

  it('leaves no value of a scan behind', () => {
    const kernel = new ScanKernel();
    kernel.hold(Float64Array.of(3, 4, 5));
    kernel.forget();
    expect(kernel.bytes(new Uint8Array(32)).every((byte) => byte === 0)).toBe(true);
  });

  it('leaves nothing of longer and shorter scans behind', () => {
    const kernel = new ScanKernel();
    const planted = 1234.5678;
    for (const count of [700, 40, 90_000, 300]) kernel.hold(new Float64Array(count).fill(planted));
    kernel.forget();
    const { memory } = Reflect.get(kernel, 'exports') as { memory: { buffer: ArrayBuffer } };
    expect(Buffer.from(memory.buffer).includes(Buffer.from(Float64Array.of(planted).buffer))).toBe(false);
  });
});
