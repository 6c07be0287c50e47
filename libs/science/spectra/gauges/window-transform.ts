import { gaugeKernel } from './kernel.js';

/**
 * Periodograms of short windows at a few chosen harmonics: quadratic detrend, Hann taper, Fourier sums. The window is
 * folded about its centre, where a cosine is even and a sine odd, and again about its quarter, where a harmonic's
 * parity decides: a quarter of the multiplications is left. Its tables lie in the kernel's memory and stay there.
 */
export class WindowTransform {
  private readonly transform: number;

  /**
   * @param points window length, a multiple of 4
   * @param harmonics cycles a window, each at most points / 2
   */
  constructor(
    readonly points: number,
    readonly harmonics: readonly number[],
  ) {
    const half = points / 2;
    const kernel = gaugeKernel();
    const fromCentre = Float64Array.from({ length: half }, (_, j) => half - 0.5 - j);
    const hann = fromCentre.map((x) => 0.5 + 0.5 * Math.cos((2 * Math.PI * x) / (points + 1)));
    const energy = Math.sqrt(2 * hann.reduce((sum, v) => sum + v * v, 0));
    const taper = hann.map((v) => v / energy);
    const slope = unit(fromCentre);
    const curve = unit(fromCentre.map((x) => x * x - (points * points - 1) / 12));
    const detrend = Float64Array.from({ length: points }, (_, i) => (i % 2 === 0 ? curve : slope)[i >> 1]);
    const even = parity(points, harmonics, 0);
    const odd = parity(points, harmonics, 1);
    const quarter = new Float64Array(half);
    // Field by field the kernel's class Transform.
    this.transform = kernel.place(
      Int32Array.of(
        points,
        even.places.length / GROUP,
        odd.places.length / GROUP,
        kernel.place(detrend),
        kernel.place(taper),
        kernel.place(new Float64Array(points)),
        kernel.place(quarter),
        kernel.place(quarter),
        kernel.place(even.table),
        kernel.place(odd.table),
        kernel.place(even.places),
        kernel.place(odd.places),
      ),
    );
  }

  /**
   * @returns for each start the power of samples[start .. start + points) at each harmonic; white noise gives its
   * variance. It lies in the kernel's memory until its next call
   */
  powers(samples: Float64Array, starts: ArrayLike<number>): Float64Array {
    const kernel = gaugeKernel();
    const count = starts.length;
    const results = count * this.harmonics.length;
    const room = kernel.room(8 * (samples.length + results) + 4 * count);
    const out = room + 8 * samples.length;
    const begins = out + 8 * results;
    const inside = kernel.floats(room, samples.length);
    inside.set(samples);
    kernel.integers(begins, count).set(starts);
    kernel.exports.powers(this.transform, room, begins, count, out, 8 * this.harmonics.length);
    // No spectrum stays behind.
    inside.fill(0);
    return kernel.floats(out, results);
  }

  /** Power that a unit cosine of `frequency` (cycles per point) gives at each harmonic, summed over two phases. */
  response(frequency: number): Float64Array {
    const wave = new Float64Array(this.points);
    const sum = new Float64Array(this.harmonics.length);
    for (const phase of [0, Math.PI / 2]) {
      for (let j = 0; j < this.points; j++) {
        wave[j] = Math.cos(2 * Math.PI * frequency * (j - (this.points - 1) / 2) + phase);
      }
      const part = this.powers(wave, [0]);
      for (let h = 0; h < sum.length; h++) sum[h] += part[h];
    }
    return sum;
  }
}

/** Harmonics that the kernel takes together. */
const GROUP = 4;

/** The harmonics of one parity, in groups; the last group is filled up with zero harmonics whose power is discarded. */
function parity(points: number, harmonics: readonly number[], remainder: number) {
  const quarter = points / 4;
  const own = [...harmonics.keys()].filter((place) => harmonics[place] % 2 === remainder);
  const places = new Int32Array(GROUP * Math.ceil(own.length / GROUP)).fill(-1);
  const table = new Float64Array(2 * quarter * places.length);
  own.forEach((place, p) => {
    places[p] = 8 * place;
    for (let j = 0; j < quarter; j++) {
      const angle = (2 * Math.PI * harmonics[place] * (points / 2 - 0.5 - j)) / points;
      const at = (Math.floor(p / GROUP) * quarter + j) * GROUP + (p % GROUP);
      table.set([Math.cos(angle), Math.sin(angle)], 2 * at);
    }
  });
  return { places, table };
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, v) => sum + v * v, 0));
  return vector.map((v) => v / length);
}
