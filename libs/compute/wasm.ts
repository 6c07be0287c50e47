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
