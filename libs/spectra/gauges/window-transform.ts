/**
 * Periodograms of short windows at a few chosen harmonics: quadratic detrend, Hann taper, Fourier sums. The window is
 * folded about its centre, where a cosine is even and a sine odd, and again about its quarter, where a harmonic's
 * parity decides: a quarter of the multiplications is left.
 */
export class WindowTransform {
  private readonly quarter: number;
  /** (cosine, sine) of an even harmonic and (cosine, sine) of an odd one, for each quarter-window point. */
  private readonly table: Float64Array;
  /** Where the pair's powers go; -1 where the harmonic was only added to make a pair. */
  private readonly pairs: { even: number; odd: number }[] = [];
  private readonly taper: Float64Array;
  private readonly slope: Float64Array;
  private readonly curve: Float64Array;
  private readonly sums: Float64Array;
  private readonly differences: Float64Array;
  private readonly folded: Float64Array;

  /**
   * @param points window length, a multiple of 4
   * @param harmonics cycles a window, each at most points / 2
   */
  constructor(
    readonly points: number,
    readonly harmonics: readonly number[],
  ) {
    const half = points / 2;
    const quarter = points / 4;
    this.quarter = quarter;
    const fromCentre = Float64Array.from({ length: half }, (_, j) => half - 0.5 - j);
    const hann = fromCentre.map((x) => 0.5 + 0.5 * Math.cos((2 * Math.PI * x) / (points + 1)));
    const energy = Math.sqrt(2 * hann.reduce((sum, v) => sum + v * v, 0));
    this.taper = hann.map((v) => v / energy);
    this.slope = unit(fromCentre);
    this.curve = unit(fromCentre.map((x) => x * x - (points * points - 1) / 12));
    this.sums = new Float64Array(half);
    this.differences = new Float64Array(half);
    this.folded = new Float64Array(4 * quarter);

    const index = harmonics.map((harmonic, at) => ({ harmonic, at }));
    const even = index.filter(({ harmonic }) => harmonic % 2 === 0);
    const odd = index.filter(({ harmonic }) => harmonic % 2 === 1);
    const count = Math.max(even.length, odd.length);
    this.table = new Float64Array(count * quarter * 4);
    for (let p = 0; p < count; p++) {
      this.pairs.push({ even: even[p]?.at ?? -1, odd: odd[p]?.at ?? -1 });
      for (let j = 0; j < quarter; j++) {
        [even[p]?.harmonic ?? 0, odd[p]?.harmonic ?? 0].forEach((harmonic, side) => {
          const angle = (2 * Math.PI * harmonic * fromCentre[j]) / points;
          this.table.set([Math.cos(angle), Math.sin(angle)], (p * quarter + j) * 4 + side * 2);
        });
      }
    }
  }

  /** Power of samples[start .. start + points) at each harmonic into out[at ..]; white noise gives its variance. */
  powers(samples: Float64Array, start: number, out: Float64Array, at: number): void {
    this.fold(samples, start);
    const { quarter, table, folded, pairs } = this;
    for (let p = 0, t = 0; p < pairs.length; p++) {
      let c0 = 0;
      let s0 = 0;
      let c1 = 0;
      let s1 = 0;
      for (let j = 0; j < 4 * quarter; j += 4, t += 4) {
        c0 += folded[j] * table[t];
        s0 += folded[j + 1] * table[t + 1];
        c1 += folded[j + 2] * table[t + 2];
        s1 += folded[j + 3] * table[t + 3];
      }
      const { even, odd } = pairs[p];
      if (even >= 0) out[at + even] = c0 * c0 + s0 * s0;
      if (odd >= 0) out[at + odd] = c1 * c1 + s1 * s1;
    }
  }

  /** Sums and differences of mirrored points, detrended and tapered, folded again. */
  private fold(samples: Float64Array, start: number): void {
    const { sums, differences, slope, curve, taper, folded } = this;
    const half = sums.length;
    let total = 0;
    let bend = 0;
    let rise = 0;
    for (let j = 0, left = start, right = start + this.points - 1; j < half; j++, left++, right--) {
      const sum = samples[left] + samples[right];
      const difference = samples[left] - samples[right];
      sums[j] = sum;
      differences[j] = difference;
      total += sum;
      bend += sum * curve[j];
      rise += difference * slope[j];
    }
    const mean = total / half;
    for (let j = 0, mirror = half - 1, t = 0; j < mirror; j++, mirror--, t += 4) {
      const sum = (sums[j] - mean - bend * curve[j]) * taper[j];
      const otherSum = (sums[mirror] - mean - bend * curve[mirror]) * taper[mirror];
      const difference = (differences[j] - rise * slope[j]) * taper[j];
      const otherDifference = (differences[mirror] - rise * slope[mirror]) * taper[mirror];
      folded[t] = sum + otherSum;
      folded[t + 1] = difference - otherDifference;
      folded[t + 2] = sum - otherSum;
      folded[t + 3] = difference + otherDifference;
    }
  }

  /** Power that a unit cosine of `frequency` (cycles a point) gives at each harmonic, summed over two phases. */
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

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, v) => sum + v * v, 0));
  return vector.map((v) => v / length);
}
