import fc from 'fast-check';
import * as exact from './exact-math.js';
import { FourierTransform } from './fourier.js';
import { type Apodisation, Instrument, type InstrumentSettings, REFERENCE_SETTINGS } from './instrument.js';
import { Random } from './random.js';

describe('exact mathematics', () => {
  const close = (got: number, wanted: number, relative = 1e-12) =>
    expect(Math.abs(got - wanted)).toBeLessThanOrEqual(relative * Math.abs(wanted) + 1e-300);

  it('agrees with the library functions', () => {
    const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(fc.property(number(-600, 600), (x) => close(exact.exp(x), Math.exp(x))));
    fc.assert(fc.property(number(-7.9, 39.9), (x) => close(exact.expOfMinus(x), Math.exp(-x), 1e-10)));
    fc.assert(fc.property(number(1e-300, 1e300), (x) => expect(exact.log(x)).toBeCloseTo(Math.log(x), 11)));
    fc.assert(fc.property(number(-1000, 1000), (x) => expect(exact.sin(x)).toBeCloseTo(Math.sin(x), 11)));
    fc.assert(fc.property(number(-1000, 1000), (x) => expect(exact.cos(x)).toBeCloseTo(Math.cos(x), 11)));
    fc.assert(fc.property(number(0.01, 100), number(-5, 5), (a, x) => close(exact.power(a, x), a ** x, 1e-11)));
  });
});

describe('random numbers', () => {
  it('are uniform, normal and of every key their own', () => {
    const random = new Random('test', 1);
    const draws = Array.from({ length: 40_000 }, () => random.normal());
    const moment = (k: number) => draws.reduce((sum, x) => sum + x ** k, 0) / draws.length;
    expect(moment(1)).toBeCloseTo(0, 1);
    expect(moment(2)).toBeCloseTo(1, 1);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.15);
    expect(draws.filter((x) => Math.abs(x) > 3.4427).length / draws.length).toBeCloseTo(5.8e-4, 3);
    const uniform = Array.from({ length: 40_000 }, () => random.uniform());
    for (let k = 0; k < 10; k++)
      expect(Math.abs(uniform.filter((u) => Math.floor(u * 10) === k).length - 4000)).toBeLessThan(300);
    const firsts = new Set(Array.from({ length: 5000 }, (_, i) => new Random('stone', i >> 8, i & 255).next()));
    expect(firsts.size).toBe(5000);
  });
});

describe('the Fourier transform', () => {
  it('is the sum it stands for, and its own inverse but for the size', () => {
    const size = 32;
    const transform = new FourierTransform(size);
    const random = new Random('fourier');
    const x = Float64Array.from({ length: size }, () => random.normal());
    const re = new Float64Array(size / 2 + 1);
    const im = new Float64Array(size / 2 + 1);
    transform.forwardReal(x, re, im);
    for (let k = 0; k <= size / 2; k++) {
      const angle = (n: number) => (-2 * Math.PI * k * n) / size;
      expect(re[k]).toBeCloseTo(
        x.reduce((sum, v, n) => sum + v * Math.cos(angle(n)), 0),
        10,
      );
      expect(im[k]).toBeCloseTo(
        x.reduce((sum, v, n) => sum + v * Math.sin(angle(n)), 0),
        10,
      );
    }
    const back = new Float64Array(size);
    transform.inverseReal(re, im, back);
    for (let n = 0; n < size; n++) expect(back[n] / size).toBeCloseTo(x[n], 12);
  });
});

describe('a simulated spectrometer', () => {
  const fine = (changes: Partial<InstrumentSettings>) =>
    new Instrument({ ...REFERENCE_SETTINGS, first: 1000, step: 1.7, points: 2000, ...changes });
  /** Depth that a narrow line of 2 % at a wavenumber has in the transmission measured by the instrument. */
  const line = (instrument: Instrument, at: number, shift = 0) => {
    const scan = (depth: number) => {
      const transmission = new Float64Array(instrument.finePoints).fill(0.5);
      transmission[Math.round((at - instrument.fineFirst) / instrument.fineStep)] -= depth;
      const background = new Float64Array(instrument.axis.length);
      return instrument.measure(transmission, background, { noise: 0, shift }, new Random('line')).map((a) => 10 ** -a);
    };
    const without = scan(0);
    return scan(0.01).map((t, i) => without[i] - t);
  };
  /** Wavenumbers at half of the largest value, by straight lines. */
  const halves = (instrument: Instrument, dip: Float64Array) => {
    const top = dip.indexOf(Math.max(...dip));
    const crossing = (direction: 1 | -1) => {
      let i = top;
      while (dip[i] > dip[top] / 2) i += direction;
      const t = (dip[top] / 2 - dip[i]) / (dip[i - direction] - dip[i]);
      return instrument.axis[i] - direction * t * instrument.settings.step;
    };
    return { low: crossing(-1), high: crossing(1) };
  };

  it.each<Apodisation>(['boxcar', 'triangle', 'happ-genzel', 'norton-beer', 'blackman-harris'])(
    'gives lines the width it is said to have: %s',
    (apodisation) => {
      const instrument = fine({ apodisation, fwhm: 16 });
      const { low, high } = halves(instrument, line(instrument, 2200));
      expect(Math.abs(high - low - 16)).toBeLessThan(0.9);
    },
  );

  it('shows a shifted line shifted', () => {
    const instrument = fine({ fwhm: 12 });
    const middle = (shift: number) => {
      const { low, high } = halves(instrument, line(instrument, 2200, shift));
      return (low + high) / 2;
    };
    expect(middle(0.5) - middle(0)).toBeCloseTo(0.5, 1);
  });

  it('has noise of the size asked for, and none beyond its largest path difference', () => {
    const instrument = fine({ fwhm: 8, apodisation: 'happ-genzel' });
    const noise = new Float64Array(instrument.axis.length);
    const random = new Random('noise');
    let squares = 0;
    const power = { inside: 0, outside: 0 };
    for (let round = 0; round < 20; round++) {
      noise.set(instrument.background(3e-4, random));
      squares += noise.reduce((sum, v) => sum + v * v, 0) / noise.length / 20;
      for (const [name, path] of [
        ['inside', 0.05],
        ['outside', 0.16],
      ] as const) {
        let re = 0;
        let im = 0;
        for (const [i, v] of noise.entries()) {
          const hann = 1 - Math.cos((2 * Math.PI * i) / noise.length);
          re += hann * v * Math.cos(2 * Math.PI * path * 1.7 * i);
          im += hann * v * Math.sin(2 * Math.PI * path * 1.7 * i);
        }
        power[name] += re * re + im * im;
      }
    }
    expect(Math.sqrt(squares) / 3e-4).toBeCloseTo(1, 1);
    expect(power.outside).toBeLessThan(1e-4 * power.inside);
  });

  it('refuses an axis longer than its transform', () => {
    expect(() => fine({ points: 9000 })).toThrow(RangeError);
  });
});
