/**
 * Periodograms of short windows at a few chosen harmonics: quadratic detrend, Hann taper and Fourier sums folded into one
 * table, and the table folded about the window's centre, where a detrended cosine is even and a sine odd.
 */
export class WindowTransform {
  /** Quads of (cosine, sine) of two harmonics, for each pair of harmonics and each half-window point. */
  private readonly table: Float64Array;
  private readonly even: Float64Array;
  private readonly odd: Float64Array;
  private readonly half: number;
  private readonly pairs: number;

  /**
   * @param points window length, even
   * @param harmonics cycles a window, each at most points / 2
   */
  constructor(
    readonly points: number,
    readonly harmonics: readonly number[],
  ) {
    this.half = points / 2;
    this.pairs = Math.ceil(harmonics.length / 2);
    this.even = new Float64Array(this.half);
    this.odd = new Float64Array(this.half);
    this.table = new Float64Array(this.pairs * this.half * 4);
    harmonics.forEach((harmonic, h) => {
      const { cosine, sine } = filters(points, harmonic);
      const base = (h >> 1) * this.half * 4 + (h & 1) * 2;
      for (let j = 0; j < this.half; j++) {
        this.table[base + 4 * j] = cosine[j];
        this.table[base + 4 * j + 1] = sine[j];
      }
    });
  }

  /** Power of samples[start .. start + points) at each harmonic into out[at ..]; white noise gives its variance. */
  powers(samples: Float64Array, start: number, out: Float64Array, at: number): void {
    const { half, table, even, odd } = this;
    for (let j = 0, left = start, right = start + this.points - 1; j < half; j++, left++, right--) {
      const a = samples[left];
      const b = samples[right];
      even[j] = a + b;
      odd[j] = a - b;
    }
    const last = this.harmonics.length - 1;
    for (let pair = 0, t = 0; pair < this.pairs; pair++) {
      let c0 = 0;
      let s0 = 0;
      let c1 = 0;
      let s1 = 0;
      for (let j = 0; j < half; j++, t += 4) {
        const e = even[j];
        const o = odd[j];
        c0 += e * table[t];
        s0 += o * table[t + 1];
        c1 += e * table[t + 2];
        s1 += o * table[t + 3];
      }
      out[at + 2 * pair] = c0 * c0 + s0 * s0;
      if (2 * pair < last) out[at + 2 * pair + 1] = c1 * c1 + s1 * s1;
    }
  }

  /** Power that a unit cosine of `frequency` (cycles a point) gives at each harmonic, averaged over its phase. */
  response(frequency: number): Float64Array {
    const wave = new Float64Array(this.points);
    const sum = new Float64Array(this.harmonics.length);
    const part = new Float64Array(this.harmonics.length);
    for (const phase of [0, Math.PI / 2]) {
      for (let j = 0; j < this.points; j++) {
        wave[j] = Math.cos(2 * Math.PI * frequency * (j - (this.points - 1) / 2) + phase);
      }
      this.powers(wave, 0, part, 0);
      for (let h = 0; h < sum.length; h++) sum[h] += part[h];
    }
    return sum;
  }
}

/** First halves of the detrended, tapered cosine and sine of one harmonic; scaled so that white noise keeps its variance. */
function filters(points: number, harmonic: number): { cosine: Float64Array; sine: Float64Array } {
  const centre = (points - 1) / 2;
  const taper = Float64Array.from(
    { length: points },
    (_, j) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (j + 1)) / (points + 1)),
  );
  const energy = Math.sqrt(taper.reduce((sum, v) => sum + v * v, 0));
  const wave = (phase: (angle: number) => number) =>
    taper.map((v, j) => (v / energy) * phase((2 * Math.PI * harmonic * (j - centre)) / points));
  const cosine = wave(Math.cos);
  const sine = wave(Math.sin);
  const constant = new Float64Array(points).fill(1);
  const slope = constant.map((_, j) => j - centre);
  const curve = slope.map((v) => v * v - (points * points - 1) / 12);
  for (const polynomial of [constant, slope, curve]) {
    const norm = dot(polynomial, polynomial);
    for (const filter of [cosine, sine]) {
      const share = dot(filter, polynomial) / norm;
      for (let j = 0; j < points; j++) filter[j] -= share * polynomial[j];
    }
  }
  return { cosine, sine };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
