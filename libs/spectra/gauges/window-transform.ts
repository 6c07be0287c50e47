/**
 * Periodograms of short windows at a few chosen harmonics: quadratic detrend, Hann taper, Fourier sums. The window is
 * folded about its centre, where a cosine is even and a sine odd, and again about its quarter, where a harmonic's
 * parity decides: a quarter of the multiplications is left.
 */
export class WindowTransform {
  private readonly quarter: number;
  private readonly even: Parity;
  private readonly odd: Parity;
  private readonly taper: Float64Array;
  private readonly slope: Float64Array;
  private readonly curve: Float64Array;
  private readonly sums: Float64Array;
  private readonly differences: Float64Array;

  /**
   * @param points window length, a multiple of 4
   * @param harmonics cycles a window, each at most points / 2
   */
  constructor(
    readonly points: number,
    readonly harmonics: readonly number[],
  ) {
    const half = points / 2;
    this.quarter = points / 4;
    const fromCentre = Float64Array.from({ length: half }, (_, j) => half - 0.5 - j);
    const hann = fromCentre.map((x) => 0.5 + 0.5 * Math.cos((2 * Math.PI * x) / (points + 1)));
    const energy = Math.sqrt(2 * hann.reduce((sum, v) => sum + v * v, 0));
    this.taper = hann.map((v) => v / energy);
    this.slope = unit(fromCentre);
    this.curve = unit(fromCentre.map((x) => x * x - (points * points - 1) / 12));
    this.sums = new Float64Array(half);
    this.differences = new Float64Array(half);
    this.even = parity(points, harmonics, 0);
    this.odd = parity(points, harmonics, 1);
  }

  /** Power of samples[start .. start + points) at each harmonic into out[at ..]; white noise gives its variance. */
  powers(samples: Float64Array, start: number, out: Float64Array, at: number): void {
    this.fold(samples, start);
    project(this.even, this.quarter, out, at);
    project(this.odd, this.quarter, out, at);
  }

  /** Sums and differences of mirrored points, detrended and tapered, folded again. */
  private fold(samples: Float64Array, start: number): void {
    const { sums, differences, slope, curve, taper } = this;
    const even = this.even.folded;
    const odd = this.odd.folded;
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
    for (let j = 0, mirror = half - 1, t = 0; j < mirror; j++, mirror--, t += 2) {
      const sum = (sums[j] - mean - bend * curve[j]) * taper[j];
      const otherSum = (sums[mirror] - mean - bend * curve[mirror]) * taper[mirror];
      const difference = (differences[j] - rise * slope[j]) * taper[j];
      const otherDifference = (differences[mirror] - rise * slope[mirror]) * taper[mirror];
      even[t] = sum + otherSum;
      even[t + 1] = difference - otherDifference;
      odd[t] = sum - otherSum;
      odd[t + 1] = difference + otherDifference;
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

/** The harmonics of one parity. */
interface Parity {
  /** Where each one's power goes. */
  places: number[];
  /** For each two harmonics and each quarter-window point: cosine and sine of the one, cosine and sine of the other. */
  table: Float64Array;
  /** The window as these harmonics see it: what cosines, what sines multiply, for each quarter-window point. */
  folded: Float64Array;
}

function parity(points: number, harmonics: readonly number[], remainder: number): Parity {
  const quarter = points / 4;
  const places = [...harmonics.keys()].filter((place) => harmonics[place] % 2 === remainder);
  const table = new Float64Array(Math.ceil(places.length / 2) * quarter * 4);
  places.forEach((place, p) => {
    for (let j = 0; j < quarter; j++) {
      const angle = (2 * Math.PI * harmonics[place] * (points / 2 - 0.5 - j)) / points;
      table.set([Math.cos(angle), Math.sin(angle)], ((p >> 1) * quarter + j) * 4 + (p & 1) * 2);
    }
  });
  return { places, table, folded: new Float64Array(2 * quarter) };
}

function project({ places, table, folded }: Parity, quarter: number, out: Float64Array, at: number): void {
  for (let p = 0, t = 0; p < places.length; p += 2) {
    let c0 = 0;
    let s0 = 0;
    let c1 = 0;
    let s1 = 0;
    for (let j = 0; j < 2 * quarter; j += 2, t += 4) {
      const forCosine = folded[j];
      const forSine = folded[j + 1];
      c0 += forCosine * table[t];
      s0 += forSine * table[t + 1];
      c1 += forCosine * table[t + 2];
      s1 += forSine * table[t + 3];
    }
    out[at + places[p]] = c0 * c0 + s0 * s0;
    if (p + 1 < places.length) out[at + places[p + 1]] = c1 * c1 + s1 * s1;
  }
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, v) => sum + v * v, 0));
  return vector.map((v) => v / length);
}
