import { instantiate, type KernelMemory, once, Scratch } from '#science/compute/wasm';

/** Exports of kernels/gauges.ts of `libs/science/compute`; pointers are in bytes. */
interface GaugeExports extends KernelMemory {
  powers(transform: number, samples: number, starts: number, count: number, out: number, stride: number): void;
  leastFit(rows: number, blocks: number, spectrum: number, bins: number): number;
}

/** The gauges' kernel, one a thread, made when first needed. */
export class GaugeKernel {
  readonly exports = instantiate<GaugeExports>('gauges');
  private readonly scratch = new Scratch(this.exports);

  /** Room for one call's arrays, the same each time. */
  room(bytes: number): number {
    return this.scratch.bytes(bytes);
  }

  /** Memory that stays. */
  place(values: Float64Array | Int32Array): number {
    const pointer = this.exports.allocate(Math.max(16, values.byteLength));
    if (values instanceof Float64Array) this.floats(pointer, values.length).set(values);
    else this.integers(pointer, values.length).set(values);
    return pointer;
  }

  /** A view of the memory at this moment: the next allocation may detach it. */
  floats(pointer: number, count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, pointer, count);
  }

  integers(pointer: number, count: number): Int32Array {
    return new Int32Array(this.exports.memory.buffer, pointer, count);
  }
}

export const gaugeKernel = once(() => new GaugeKernel());
