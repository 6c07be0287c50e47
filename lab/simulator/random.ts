import { exp, log } from './exact-math.js';

/** 32-bit hash of any mixture of numbers and texts, in order. */
export function hash(...parts: (number | string)[]): number {
  let h = 0x9e3779b9;
  const mix = (word: number) => {
    h = Math.imul(h ^ word, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
  };
  for (const part of parts) {
    if (typeof part === 'number') {
      mix(part | 0);
      mix(Math.floor(part / 0x100000000) | 0);
    } else {
      for (let i = 0; i < part.length; i++) mix(part.charCodeAt(i));
      mix(~part.length);
    }
  }
  return h >>> 0;
}

/** Layers of the ziggurat of Marsaglia and Tsang (2000) for the normal distribution. */
const LAYERS = 128;
const TAIL = 3.442619855899;
const LAYER_AREA = 9.91256303526217e-3;
const bound = new Float64Array(LAYERS);
const width = new Float64Array(LAYERS);
const height = new Float64Array(LAYERS);
{
  const scale = 2147483648;
  const density = (x: number) => exp(-0.5 * x * x);
  let edge = TAIL;
  let previous = TAIL;
  const base = LAYER_AREA / density(TAIL);
  bound[0] = (edge / base) * scale;
  width[0] = base / scale;
  width[LAYERS - 1] = edge / scale;
  height[0] = 1;
  height[LAYERS - 1] = density(edge);
  for (let i = LAYERS - 2; i >= 1; i--) {
    edge = Math.sqrt(-2 * log(LAYER_AREA / edge + density(edge)));
    bound[i + 1] = (edge / previous) * scale;
    previous = edge;
    height[i] = density(edge);
    width[i] = edge / scale;
  }
}

/** The generator sfc32 (Doty-Humphrey), seeded from a hash: integers only, the same everywhere. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(...key: (number | string)[]) {
    this.a = hash('a', ...key);
    this.b = hash('b', ...key);
    this.c = hash('c', ...key);
    for (let i = 0; i < 12; i++) this.next();
  }

  /** 32 random bits, as a signed integer. */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum;
  }

  /** Uniform in (0, 1). */
  uniform(): number {
    return ((this.next() >>> 0) + 0.5) / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  logBetween(low: number, high: number): number {
    return low * exp(this.uniform() * log(high / low));
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  /** An integer from 0 to n - 1. */
  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }

  /** Standard normal. */
  normal(): number {
    for (;;) {
      const bits = this.next();
      const layer = bits & (LAYERS - 1);
      const x = bits * width[layer];
      if ((bits < 0 ? -bits : bits) < bound[layer]) return x;
      if (layer === 0) {
        let far: number;
        let y: number;
        do {
          far = -log(this.uniform()) / TAIL;
          y = -log(this.uniform());
        } while (y + y < far * far);
        return bits > 0 ? TAIL + far : -TAIL - far;
      }
      if (height[layer] + this.uniform() * (height[layer - 1] - height[layer]) < exp(-0.5 * x * x)) return x;
    }
  }
}
