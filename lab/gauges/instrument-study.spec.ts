import { POINTS } from '../second-family/spectrometer.js';
import { Random } from '../simulator/random.js';
import { gaugeInstrument, type InstrumentRun, traitsOf } from './instrument-study.js';
import { drawInstrument, type HonestInstrument, lineWidth, PHYSICS } from './instruments.js';
import { Interferometer } from './interferometer.js';
import { countGauges } from './study.js';

const RUN: Omit<InstrumentRun, 'instrument' | 'stones'> = { seed: 4, heldOut: false, sampling: 'masked' };

describe('the interferometer', () => {
  const plain: HonestInstrument = {
    ...drawInstrument(1, 1),
    step: 2,
    zeroFilling: 2,
    apodisation: 'happ-genzel',
    phase: 'mertz',
    phaseError: 0,
    oneSided: false,
    averaged: 4,
    noise: 4e-4,
    flicker: 0,
    nonLinearity: 0,
    fringes: 0,
    decimals: 0,
    best: 2300,
    range: [400, 6000],
  };
  const chance = (n: number) => ({ noise: new Random('noise', n), state: new Random('state', n) });
  const measure = (settings: HonestInstrument, transmission: Float64Array) => {
    const interferometer = new Interferometer(settings);
    const absorbance = interferometer.scan(transmission, interferometer.open(chance(1)), chance(2));
    return { absorbance, wavenumbers: interferometer.wavenumbers };
  };

  it('exports the step asked for, with the noise of its averaged scans where the beam is strong', () => {
    const { absorbance, wavenumbers } = measure(plain, new Float64Array(POINTS + 1).fill(1));
    expect(wavenumbers[1] - wavenumbers[0]).toBeCloseTo(2, 9);
    const part = absorbance.filter((_, i) => wavenumbers[i] > 2100 && wavenumbers[i] < 2500);
    const rms = Math.sqrt(part.reduce((sum, v) => sum + v * v, 0) / part.length);
    // Of the sample and of the background, in absorbance.
    const expected = (4e-4 / Math.sqrt(4) / Math.LN10) * Math.hypot(1, 0.7);
    expect(rms / expected).toBeGreaterThan(0.85);
    expect(rms / expected).toBeLessThan(1.15);
  });

  it('broadens a sharp line to the width that its settings say', () => {
    const transmission = new Float64Array(POINTS + 1).fill(1);
    transmission[2400] = 0.9;
    const { absorbance, wavenumbers } = measure({ ...plain, noise: 1e-9 }, transmission);
    const peak = Math.max(...absorbance);
    const wide = wavenumbers.filter((_, i) => absorbance[i] > peak / 2);
    // Up to a step is missing at either end.
    expect(Math.abs(wide[wide.length - 1] + plain.step - wide[0] - lineWidth(plain))).toBeLessThan(plain.step);
  });

  it('gives a detector that is not linear energy where the beam is dark', () => {
    const dark = new Float64Array(POINTS + 1).fill(1).fill(0, 2000, 2300);
    const middle = (nonLinearity: number) => {
      const { absorbance, wavenumbers } = measure({ ...plain, nonLinearity, noise: 1e-6, ceiling: 6 }, dark);
      return absorbance[wavenumbers.findIndex((w) => w > 2070)];
    };
    expect(middle(0)).toBeGreaterThan(3);
    expect(middle(-0.02)).toBeLessThan(3);
  });
});

describe.each([false, true])('random instruments (held out: %s)', (heldOut) => {
  it('gauge a stone the same alone and among others, and refuse no honest side of a few', () => {
    const both = gaugeInstrument({ ...RUN, heldOut, instrument: 3, stones: [0, 1] });
    expect(gaugeInstrument({ ...RUN, heldOut, instrument: 3, stones: [1] })).toEqual(both.slice(2));
    expect(countGauges(both)).toMatchObject({ sides: 4, refused: 0 });
  });

  it('say what they are like', () => {
    expect(Object.keys(traitsOf({ seed: 4, heldOut }, 5))).toContain('exported step');
  });
});

it('gauges a stone otherwise without its fringes, and the same without what it has not', () => {
  let instrument = 0;
  const has = (of: HonestInstrument) => of.fringes > 1e-3 && of.nonLinearity === 0;
  while (!has(drawInstrument(4, instrument))) instrument++;
  const run = { ...RUN, instrument, stones: [0] };
  const whole = gaugeInstrument(run);
  expect(gaugeInstrument({ ...run, without: 'detector linear' })).toEqual(whole);
  expect(gaugeInstrument({ ...run, without: 'no fringes' })).not.toEqual(whole);
  expect(Object.keys(PHYSICS)).toContain('no fringes');
});

it('refuses a moving average of an honest instrument of 8 cm^-1', () => {
  let instrument = 0;
  const isUsual = (i: number) => drawInstrument(4, i).step > 6 && drawInstrument(4, i).averaged < 4;
  while (!isUsual(instrument)) instrument++;
  const sides = gaugeInstrument({ ...RUN, instrument, stones: [0, 1], attack: 'moving-average:7' });
  expect(countGauges(sides)).toMatchObject({ sides: 4, refused: 4 });
});
