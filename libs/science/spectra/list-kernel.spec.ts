import fc from 'fast-check';
import { readJsonClaim } from './json.js';
import { ListKernel } from './list-kernel.js';

const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
const blanks = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 6 });
const whole = digits(11).map((text) => text.replace(/^0+(?=.)/, ''));
const token = fc
  .tuple(fc.constantFrom('', '-'), whole, fc.option(digits(20)), fc.constantFrom('', '', '', 'e2', 'E-3', 'e+1'))
  .map(([minus, before, behind, power]) => `${minus}${before}${behind === null ? '' : `.${behind}`}${power}`);

/** The numbers of the first rough spectrum. */
function spectrum(list: string, points: number): number[] {
  const axis = JSON.stringify(Array.from({ length: points }, (_, i) => i + 1));
  const text = `{"rough":{"wavenumbers":${axis},"spectra":[${list}]}}`;
  return [...readJsonClaim(Buffer.from(text)).side('rough').scans[0].absorbance];
}

describe('a list of numbers', () => {
  it('is that of Number, bit for bit, with any tokens and blanks', () => {
    const element = fc.tuple(blanks, token, blanks);
    fc.assert(
      fc.property(fc.array(element, { minLength: 60, maxLength: 90 }), (elements) => {
        const read = spectrum(`[${elements.map((parts) => parts.join('')).join()}]`, elements.length);
        const expected = elements.map(([, text]) => Number(text));
        expect(read.every((value, i) => Object.is(value, expected[i]))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('is the same where pieces of a long body meet, at any place', () => {
    const values = Array.from({ length: 40_000 }, (_, i) => Number((Math.sin(i) * 10 ** (i % 7)).toFixed(i % 16)) + 0);
    for (const shift of [0, 1, 2, 3, 5, 8, 13, 21, 34]) {
      const read = spectrum(`${' '.repeat(shift)}${JSON.stringify(values)}`, values.length);
      expect(read.every((value, i) => Object.is(value, values[i]))).toBe(true);
    }
  });

  it('leaves to others what is no plain number, and consumes none of it', () => {
    for (const odd of ['01', '.5', '1.', '-', 'NaN', '1e3', '12345678901', '"1"', 'null', '[1]', '1 2', '']) {
      const kernel = new ListKernel();
      const bytes = Buffer.from(`1.5, -2 ,${odd},3]`);
      const until = bytes.length;
      expect([kernel.read(bytes, 0, until), kernel.end]).toEqual([2, 9]);
      expect([kernel.read(bytes, 9, until), kernel.end]).toEqual([0, 9]);
    }
  });

  it('is not kept once it is forgotten', () => {
    const kernel = new ListKernel();
    const bytes = Buffer.from('1.234567,7.654321]');
    kernel.read(bytes, 0, bytes.length);
    kernel.forget();
    const inside = Object.values(kernel).filter((part) => ArrayBuffer.isView(part));
    expect(inside.length).toBeGreaterThan(0);
    for (const part of inside) expect(Buffer.from(part.buffer).includes('7.654321')).toBe(false);
    const values = new Float64Array(2);
    kernel.copy(values, 0);
    expect([...values]).toEqual([0, 0]);
  });

  it('is empty after a body of several pieces, of which the last is short', () => {
    const kernel = new ListKernel();
    const bytes = Buffer.from(`${'7.654321,'.repeat(40_000)}1]`);
    for (let at = 0; at < bytes.length; at = kernel.end) if (kernel.read(bytes, at, bytes.length) === 0) break;
    expect(kernel.end).toBeGreaterThan(bytes.length / 2);
    kernel.forget();
    const { memory } = Reflect.get(kernel, 'exports') as { memory: { buffer: ArrayBuffer } };
    expect(Buffer.from(memory.buffer).includes('7.654321')).toBe(false);
  });
});
