/** A stream of numbers in [0, 1) that depends on its integer seeds alone (sfc32 seeded by mixing). */
export type Random = () => number;

export function randomOf(...seeds: number[]): Random {
  let mixed = 0x9e3779b9;
  const word = (value: number) => {
    mixed = Math.imul(mixed ^ value, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
    return mixed | 0;
  };
  for (const seed of seeds) {
    word(seed | 0);
    word(Math.floor(seed / 0x1_0000_0000));
  }
  let [a, b, c, d] = [word(1), word(2), word(3), 1];
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum;
  };
  for (let i = 0; i < 12; i++) next();
  return () => (next() >>> 0) / 0x1_0000_0000;
}

/** Standard normal deviate (polar method). */
export function normal(random: Random): number {
  for (;;) {
    const x = 2 * random() - 1;
    const y = 2 * random() - 1;
    const r = x * x + y * y;
    if (r > 0 && r < 1) return x * Math.sqrt((-2 * Math.log(r)) / r);
  }
}

/** Shuffles in place (Fisher and Yates). */
export function shuffle(values: Uint32Array, random: Random): Uint32Array {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [values[i], values[j]] = [values[j], values[i]];
  }
  return values;
}
