import fc from 'fast-check';
import { Refusal } from './refusal.js';
import { readScanFile } from './scan-file.js';
import { type Form, type JcampParts, jcamp } from './test/jcamp.js';

const read = (text: string, name = 'S1.jdx') => readScanFile(name, new TextEncoder().encode(text));
const values = Array.from(
  { length: 120 },
  (_, i) => Math.round(400_000 + 300_000 * Math.sin(i / 9)) * (i % 40 === 7 ? -1 : 1),
);
const refusal = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof Refusal) return error.detail;
    throw error;
  }
  throw new Error('it was read');
};
const refused = (labels: JcampParts['labels'], more: Partial<JcampParts> = {}) =>
  refusal(jcamp({ values, labels, ...more }));
const FORMS: Form[] = ['AFFN', 'PAC', 'SQZ', 'DIF', 'DIFDUP', 'PAIRS'];

describe('a JCAMP-DX file', () => {
  it.each(FORMS)('is read with its factors in the form %s', (form) => {
    const reading = read(
      jcamp({ form, values, xFactor: 0.5, labels: { RESOLUTION: '4.0', DATE: '26/11/28' } }),
      'S1.txt',
    );
    expect(reading).toMatchObject({ format: 'jcamp-dx', points: 120, firstWavenumber: 4000, lastWavenumber: 600 });
    expect(reading.acquired).toEqual({ name: 'S1', date: '26/11/28', resolution: 4 });
    expect(Array.from(reading.scan.absorbance)).toEqual(values.map((value) => value * 1e-6).reverse());
    expect(reading.scan.wavenumbers[1]).toBeCloseTo(600 + 3400 / 119, 9);
  });

  it('gives any whole numbers back in each form, whatever the length of its lines', () => {
    const numbers = fc.array(fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -2e6, max: 2e6 })), {
      minLength: 50,
      maxLength: 90,
    });
    fc.assert(
      fc.property(numbers, fc.constantFrom(...FORMS), fc.integer({ min: 1, max: 20 }), (some, form, perLine) => {
        const { scan } = read(jcamp({ form, values: some, perLine, first: 600, last: 4000 }));
        expect(Array.from(scan.absorbance, (value) => Math.round(value * 1e6) + 0)).toEqual(
          some.map((value) => value + 0),
        );
      }),
    );
  });

  it('takes its axis from its rows where it says no first and last wavenumber', () => {
    const none = { FIRSTX: undefined, LASTX: undefined, NPOINTS: undefined, FIRSTY: undefined };
    const { scan } = read(jcamp({ values, labels: { ...none, DELTAX: String(-3400 / 119) } }));
    expect(scan.wavenumbers[0]).toBeCloseTo(600, 3);
    expect(scan.wavenumbers[60]).toBeCloseTo(600 + (60 * 3400) / 119, 3);
  });

  it('is refused by the name of what it holds in place of an absorbance over wavenumbers', () => {
    expect(refused({ 'DATA TYPE': 'RAMAN SPECTRUM' })).toContain('its DATA TYPE is RAMAN SPECTRUM');
    expect(refused({ 'DATA TYPE': 'INFRARED INTERFEROGRAM' })).toContain('INFRARED INTERFEROGRAM');
    expect(refused({ XUNITS: 'MICROMETERS' })).toContain('its XUNITS are MICROMETERS');
    expect(refused({ YUNITS: 'TRANSMITTANCE' })).toContain('its YUNITS are TRANSMITTANCE');
    expect(refused({ YUNITS: 'ARBITRARY UNITS' })).toContain('ARBITRARY UNITS');
    expect(refused({ YUNITS: undefined })).toContain('no YUNITS');
    expect(refused({ DATA_PROCESSING: 'Savitzky-Golay smooth, 9 points' })).toMatch(
      /its history names .*smooth|Savitzky/i,
    );
    expect(refused({ XYDATA: undefined, 'PEAK TABLE': '(XY..XY)' })).toContain('PEAKTABLE');
    expect(refused({ XYDATA: '(XYZ..XYZ)' })).toContain('(XYZ..XYZ)');
    const twice = jcamp({ values });
    expect(refusal(twice.replace('##END=', twice))).toContain('several spectra (line');
  });

  it('is refused where values are lost, and by the line where it tells', () => {
    expect(refused({ NPOINTS: '121' })).toContain('NPOINTS says 121');
    expect(refused({ YFACTOR: 'x' })).toContain('its YFACTOR is no number');
    expect(refused({ YFACTOR: '1e-3' }, {})).toContain('FIRSTY');
    const lines = jcamp({ values, form: 'DIF', labels: { NPOINTS: undefined } }).split('\r\n');
    const lost = lines.filter((_, i) => i !== 15).join('\n');
    expect(refusal(lost)).toMatch(/line 16 does not begin with the last value/);
    const affn = jcamp({ values, labels: { NPOINTS: undefined } }).split('\r\n');
    expect(refusal(affn.filter((_, i) => i !== 15).join('\n'))).toMatch(/line 13 begins at|line 1[3-6] begins at/);
    expect(refusal(affn.with(15, affn[15].replace(/ \d+$/, ' ?')).join('\n'))).toContain('line 16 cannot be read');
    expect(refusal('##TITLE=x\n##JCAMP-DX=4.24\n##END=')).toContain('no spectrum');
  });

  it('is bounded, whatever it counts', () => {
    const bomb = jcamp({ values, form: 'SQZ' }).replace(/\r\n##END=/, 'S999999999999\r\n##END=');
    expect(refusal(bomb)).toContain('more than 100000 points');
  });

  it('is a reading or a refusal, changed anywhere', () => {
    const texts = FORMS.map((form) => jcamp({ form, values: values.slice(0, 60) }));
    const change = fc.tuple(fc.nat(2_000), fc.constantFrom(...'0123456789.,-+%@AaJjSszE?#$=(\n \u0000'));
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 6 }), (text, changes) => {
        let changed = text;
        for (const [at, by] of changes)
          changed = changed.slice(0, at % text.length) + by + changed.slice((at % text.length) + 1);
        try {
          const { scan } = read(changed);
          expect(scan.absorbance.every(Number.isFinite) && scan.wavenumbers.every(Number.isFinite)).toBe(true);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
