import { cos, PI, sin } from './exact-math.js';

/** Fourier transforms between `size` real values (a power of two) and their size/2 + 1 complex coefficients. */
export class FourierTransform {
  private readonly half: number;
  private readonly re: Float64Array;
  private readonly im: Float64Array;
  /** cos and sin of 2 pi k / size. */
  private readonly cosines: Float64Array;
  private readonly sines: Float64Array;
  /** Those of a pass over spans, at `span + k`: beside each other, as far apart ones would be fetched anew each time. */
  private readonly turnsRe: Float64Array;
  private readonly turnsIm: Float64Array;
  private readonly order: Uint16Array;

  constructor(readonly size: number) {
    const half = size / 2;
    this.half = half;
    this.re = new Float64Array(half);
    this.im = new Float64Array(half);
    this.cosines = Float64Array.from({ length: half }, (_, k) => cos((2 * PI * k) / size));
    this.sines = Float64Array.from({ length: half }, (_, k) => sin((2 * PI * k) / size));
    this.turnsRe = new Float64Array(half);
    this.turnsIm = new Float64Array(half);
    for (let span = 1; span < half; span *= 2) {
      for (let k = 0; k < span; k++) {
        this.turnsRe[span + k] = this.cosines[(k * half) / span];
        this.turnsIm[span + k] = this.sines[(k * half) / span];
      }
    }
    this.order = new Uint16Array(half);
    for (let i = 1; i < half; i++) this.order[i] = (this.order[i >> 1] >> 1) | (i & 1 ? half >> 1 : 0);
  }

  /** X[k] = sum over n of x[n] e^(-2 pi i k n / size), k = 0 .. size/2. */
  forwardReal(x: Float64Array, outRe: Float64Array, outIm: Float64Array): void {
    const { half, re, im, order, cosines, sines } = this;
    for (let n = 0; n < half; n++) {
      re[order[n]] = x[2 * n];
      im[order[n]] = x[2 * n + 1];
    }
    this.transform();
    outRe[0] = re[0] + im[0];
    outIm[0] = 0;
    outRe[half] = re[0] - im[0];
    outIm[half] = 0;
    for (let k = 1; k < half; k++) {
      const m = half - k;
      const evenRe = 0.5 * (re[k] + re[m]);
      const evenIm = 0.5 * (im[k] - im[m]);
      const oddRe = 0.5 * (im[k] + im[m]);
      const oddIm = -0.5 * (re[k] - re[m]);
      outRe[k] = evenRe + oddRe * cosines[k] + oddIm * sines[k];
      outIm[k] = evenIm + oddIm * cosines[k] - oddRe * sines[k];
    }
  }

  /** x[n] = sum over all size coefficients (those above size/2 by symmetry) of c[k] e^(+2 pi i k n / size). */
  inverseReal(cRe: Float64Array, cIm: Float64Array, x: Float64Array): void {
    const { half, re, im, order, cosines, sines } = this;
    for (let k = 0; k < half; k++) {
      const m = half - k;
      const mIm = m === half ? 0 : cIm[m];
      const kIm = k === 0 ? 0 : cIm[k];
      const evenRe = cRe[k] + cRe[m];
      const evenIm = kIm - mIm;
      const differenceRe = cRe[k] - cRe[m];
      const differenceIm = kIm + mIm;
      const oddRe = differenceRe * cosines[k] - differenceIm * sines[k];
      const oddIm = differenceRe * sines[k] + differenceIm * cosines[k];
      // The inverse is the forward transform with real and imaginary parts exchanged.
      re[order[k]] = evenIm + oddRe;
      im[order[k]] = evenRe - oddIm;
    }
    this.transform();
    for (let n = 0; n < half; n++) {
      x[2 * n] = im[n];
      x[2 * n + 1] = re[n];
    }
  }

  /** In place, decimation in time, on values already in bit-reversed order. */
  private transform(): void {
    const { half, re, im, turnsRe, turnsIm } = this;
    for (let span = 1; span < half; span *= 2) {
      for (let start = 0; start < half; start += 2 * span) {
        for (let k = 0; k < span; k++) {
          const c = turnsRe[span + k];
          const s = turnsIm[span + k];
          const a = start + k;
          const b = a + span;
          const tRe = re[b] * c + im[b] * s;
          const tIm = im[b] * c - re[b] * s;
          re[b] = re[a] - tRe;
          im[b] = im[a] - tIm;
          re[a] += tRe;
          im[a] += tIm;
        }
      }
    }
  }
}
