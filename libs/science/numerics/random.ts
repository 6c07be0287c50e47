/**
 * Repeatable numbers for measurements and tests, the same on every machine. The simulators have a generator of their own
 * (lab/simulator/random.ts), on whose sequences published figures rest.
 */

/** Numbers in [0, 1): a linear congruential generator. Sequences of seeds next to each other are alike. */
export function uniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
