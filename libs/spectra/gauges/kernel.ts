import { instantiate } from '#compute';

/** What kernels/gauges.ts of `libs/compute` exports; pointers are in bytes. */
interface GaugeExports {
  memory: { readonly buffer: ArrayBuffer };
  allocate(bytes: number): number;
  release(pointer: number): void;
  powers(transform: number, samples: number, starts: number, count: number, out: number, stride: number): void;
  leastFit(rows: number, blocks: number, spectrum: number, bins: number): number;
}

/** The gauges' kernel, one a thread, made when first needed. */
export class GaugeKernel {
  readonly exports = instantiate<GaugeExports>('gauges');
  private scratch = { pointer: 0, bytes: 0 };

  /** Room for one call's arrays, the same each time. */
  room(bytes: number): number {
    if (bytes > this.scratch.bytes) {
      if (this.scratch.bytes > 0) this.exports.release(this.scratch.pointer);
      this.scratch = { pointer: this.exports.allocate(bytes), bytes };
    }
    return this.scratch.pointer;
  }

  /** Memory that stays. */
  place(values: Float64Array | Int32Array): number {
    const pointer = this.exports.allocate(Math.max(16, values.byteLength));
    if (values instanceof Float64Array) this.floats(pointer, values.length).set(values);
    else this.integers(pointer, values.length).set(values);
    return pointer;
  }

  /** A view of the memory as it is now: the next allocation may detach it. */
  floats(pointer: number, count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, pointer, count);
  }

  integers(pointer: number, count: number): Int32Array {
    return new Int32Array(this.exports.memory.buffer, pointer, count);
  }
}

let made: GaugeKernel | undefined;
export const gaugeKernel = (): GaugeKernel => {
  made ??= new GaugeKernel();
  return made;
};
