import { instantiate } from './wasm.js';

/** Milliseconds of the fastest pass within a budget, the first pass included: a slow engine gets one pass. */
export async function fastestMs(budgetMs: number, pass: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  const start = performance.now();
  do {
    const begin = performance.now();
    await pass();
    fastest = Math.min(fastest, performance.now() - begin);
  } while (performance.now() - start < budgetMs);
  return fastest;
}

/**
 * Most work that one thread of this machine can do in 128-bit SIMD without fused operations, in GFLOP/s: multiply-add
 * chains that never leave the registers.
 */
export async function measureCeiling(budgetMs: number): Promise<number> {
  type Exports = { chains12(turns: number, factor: number, addend: number): number; chains13(turns: number): number };
  const kernel = instantiate<Exports>('ceiling');
  const turns = 20_000;
  const speed = async (chains: number, loop: () => number) =>
    (8 * chains * turns) / (await fastestMs(budgetMs, loop)) / 1e6;
  return Math.max(
    await speed(12, () => kernel.chains12(turns, 0.999, 0.001)),
    await speed(13, () => kernel.chains13(turns)),
  );
}
