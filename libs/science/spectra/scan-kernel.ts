import { instantiate, type KernelMemory, once, Scratch } from '#science/compute/wasm';
import { REFERENCE_POINTS } from './axis.js';
import type { AxisPlan, Sampling } from './sampling.js';

/** Exports of kernels/scans.ts of `libs/science/compute`; pointers are in bytes. */
interface ScanExports extends KernelMemory {
  at(): number;
  part(): number;
  covered(): number;
  first(): number;
  begin(): number;
  bins(): number;
  spectrum(): number;
  check(values: number, count: number, limit: number): 0 | 1 | 2;
  sample(values: number, weights: number, masked: boolean): void;
  hasFeatures(count: number, centre: number, variance: number, share: number): number;
  unify(values: number, count: number): void;
  wipe(from: number, bytes: number): void;
}

/** The bins that show whether a spectrum has features, with their middle and spread. */
export interface FeatureBins {
  bins: Int32Array;
  centre: number;
  variance: number;
}

/** Bytes before a scan's values, for the digest of its axis. */
const HEAD = 32;

/** Holds one scan at a time in WebAssembly, with everything derived from its axis; one per thread. */
export class ScanKernel {
  private readonly exports = instantiate<ScanExports>('scans');
  private readonly scans = new Scratch(this.exports);
  private readonly weights = new Scratch(this.exports);
  private weightsAt = 0;
  private plan: AxisPlan | undefined;
  private binned: Int32Array | undefined;
  private values = 0;
  private count = 0;
  private inside = new Float64Array(0);
  private spectrum = new Float32Array(0);

  /** Takes a scan in; the other methods speak of it until `forget`. */
  hold(absorbance: Float64Array): void {
    // A longer one would leave its end behind, and more room the whole of one.
    if (absorbance.length !== this.count) this.forget();
    this.count = absorbance.length;
    this.values = this.scans.bytes(HEAD + absorbance.byteLength) + HEAD;
    if (this.inside.buffer !== this.memory || this.inside.length !== this.count)
      this.inside = new Float64Array(this.memory, this.values, this.count);
    this.inside.set(absorbance);
  }

  /** Checks that its values lie within the limit either way and are not all equal. */
  check(limit: number): 'sound' | 'beyond' | 'flat' {
    return (['sound', 'beyond', 'flat'] as const)[this.exports.check(this.values, this.count, limit)];
  }

  /** The scan on the reference axis. @param out receives 671 values from `at` on */
  sample(plan: AxisPlan, sampling: Sampling, out: Float32Array, at: number): void {
    if (this.plan !== plan) this.place(plan);
    this.exports.sample(this.values, this.weightsAt, sampling === 'masked');
    if (this.spectrum.buffer !== this.memory)
      this.spectrum = new Float32Array(this.memory, this.exports.spectrum(), REFERENCE_POINTS);
    out.set(this.spectrum, at);
  }

  /** True if the values sampled last depart from a straight line by more than a share of their largest. */
  hasFeatures({ bins, centre, variance }: FeatureBins, share: number): boolean {
    if (this.binned !== bins) new Int32Array(this.memory, this.exports.bins(), bins.length).set(bins);
    this.binned = bins;
    return this.exports.hasFeatures(bins.length, centre, variance, share) !== 0;
  }

  /** A head of 32 bytes, and behind it the values' bytes with one zero only: -0 is 0. Valid until the next call. */
  bytes(head: Uint8Array): Uint8Array {
    this.exports.unify(this.values, this.count);
    const bytes = new Uint8Array(this.memory, this.values - HEAD, HEAD + 8 * this.count);
    bytes.set(head);
    return bytes;
  }

  /** No spectrum stays behind. */
  forget(): void {
    this.exports.wipe(this.values, 8 * this.count);
  }

  private place(plan: AxisPlan): void {
    this.weightsAt = this.weights.bytes(Math.max(16, plan.weights.byteLength));
    // Views from here on: more room may detach those before.
    const { memory, exports } = this;
    new Float64Array(memory, this.weightsAt, plan.weights.length).set(plan.weights);
    new Int32Array(memory, exports.at(), REFERENCE_POINTS).set(plan.at);
    new Float64Array(memory, exports.part(), REFERENCE_POINTS).set(plan.part);
    new Uint8Array(memory, exports.covered(), REFERENCE_POINTS).set(plan.covered);
    new Int32Array(memory, exports.first(), REFERENCE_POINTS).set(plan.first);
    new Int32Array(memory, exports.begin(), REFERENCE_POINTS + 1).set(plan.begin);
    this.plan = plan;
  }

  private get memory(): ArrayBuffer {
    return this.exports.memory.buffer;
  }
}

export const scanKernel = once(() => new ScanKernel());
