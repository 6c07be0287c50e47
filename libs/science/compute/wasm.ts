import { readFileSync } from 'node:fs';

/** The part of the WebAssembly API in use; TypeScript declares it only together with a browser's globals. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: unknown;
  }
}

const compiled = new Map<string, WebAssembly.Module>();

/** A fresh instance, with a memory of its own, of the kernel that the build put into kernels/`name`.wasm. */
export function instantiate<Exports>(name: string): Exports {
  let module = compiled.get(name);
  if (!module) {
    module = new WebAssembly.Module(readFileSync(new URL(`./kernels/${name}.wasm`, import.meta.url)));
    compiled.set(name, module);
  }
  const abort = () => {
    throw new RangeError(`WebAssembly kernel ${name} aborted`);
  };
  return new WebAssembly.Instance(module, { env: { abort } }).exports as Exports;
}

/** Exports of a kernel with a heap. */
export interface KernelMemory {
  memory: { readonly buffer: ArrayBuffer };
  allocate(bytes: number): number;
  release(pointer: number): void;
}

/** Largest allocation: the allocator's limit. */
const MAX_BYTES = 2 ** 30 - 64;

/** Memory of a kernel that stays until it is released. Views made before may be detached. */
export function allocate(exports: KernelMemory, bytes: number): number {
  try {
    if (bytes <= MAX_BYTES) return exports.allocate(bytes) >>> 0;
  } catch {
    // falls through: the memory cannot grow
  }
  throw new RangeError(`an operand of ${bytes} bytes does not fit into the SIMD kernel's memory`);
}

/** A region of a kernel's memory that grows to the largest need and is reused. */
export class Scratch {
  private pointer = 0;
  private size = 0;
  constructor(private readonly exports: KernelMemory) {}

  bytes(count: number): number {
    if (count > this.size) {
      if (this.size > 0) this.exports.release(this.pointer);
      this.size = 0;
      this.pointer = allocate(this.exports, count);
      this.size = count;
    }
    return this.pointer;
  }

  floats(count: number): number {
    return this.bytes(4 * count);
  }
}

/** What is made when it is first asked for, and kept: one a thread. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
