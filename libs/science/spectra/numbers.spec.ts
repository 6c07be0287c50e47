import fc from 'fast-check';
import { NumberReader } from './numbers.js';

const reader = new NumberReader();
const read = (token: string, by = reader) => by.read(Buffer.from(token), 0);
const agrees = (token: string) => {
  const value = read(token);
  if (!Object.is(value, Number(token)) || reader.end !== token.length) {
    throw new Error(`${token}: ${value} up to ${reader.end}, not ${Number(token)}`);
  }
};
const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
const sign = fc.constantFrom('', '-');

describe('a number from bytes equals Number(token) bit for bit', () => {
  it('for any double as the runtime prints it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => agrees(String(x))),
      {
        numRuns: 20_000,
      },
    );
  });

  it('for absorbances and wavenumbers with any number of decimals', () => {
    const value = fc.double({ min: -10, max: 10_000, noNaN: true });
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 20 }), (x, decimals) => {
        agrees(x.toFixed(decimals));
        agrees(x.toExponential(decimals));
        agrees(x.toPrecision(Math.max(1, decimals)));
      }),
      { numRuns: 20_000 },
    );
  });

  it('for any decimal with any fraction and exponent', () => {
    const exponent = fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(3));
    fc.assert(
      fc.property(sign, digits(25), fc.option(digits(30)), fc.option(exponent), (minus, whole, fraction, power) =>
        agrees(`${minus}${whole}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : power.join('')}`),
      ),
      { numRuns: 50_000 },
    );
  });

  it('next to and on the halfway points between doubles', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }), fc.integer({ min: 1, max: 11 }), (m, shift) => {
        // (2m + 1) 2^-shift / 2 has up to shift decimals and lies between two doubles.
        const scaled = (2n * m + 1n) * 5n ** BigInt(shift);
        for (const near of [scaled - 1n, scaled, scaled + 1n]) {
          const text = near.toString().padStart(shift + 1, '0');
          agrees(`${text.slice(0, -shift)}.${text.slice(-shift)}`);
          agrees(`${text.slice(0, 1)}.${text.slice(1, 19)}`);
        }
      }),
      { numRuns: 20_000 },
    );
  });

  it('at the ends of the range', () => {
    for (const token of ['0', '-0', '0.0', '1e999', '-1e999', '1e-999', '5e-324', '2e-324', '1.7976931348623159e308']) {
      agrees(token);
    }
    for (const token of ['.5', '5.', '-.5', '007', '0e99999999999999999999', `0.${'0'.repeat(400)}1`]) agrees(token);
    agrees('1'.repeat(400));
  });
});

it('stops where the number ends', () => {
  for (const [text, value, end] of [
    ['1.5,2', 1.5, 3],
    ['1.5.2', 1.5, 3],
    ['12e', 12, 2],
    ['12e+', 12, 2],
    ['12e+x', 12, 2],
    ['3e2e', 300, 3],
    ['7-', 7, 1],
  ] as const) {
    expect(read(text)).toBe(value);
    expect(reader.end).toBe(end);
  }
  for (const text of ['', '-', '.', '-.', 'x', 'e5', '.e5', '--1', '+1']) {
    expect(read(text)).toBeNaN();
    expect(reader.end).toBe(-1);
  }
});

it('takes nothing longer than a kilobyte for a number', () => {
  agrees(`0.${'3'.repeat(1000)}`);
  for (const text of ['3'.repeat(5000), `3.${'3'.repeat(5000)}`]) {
    expect(read(text)).toBeNaN();
    expect(reader.end).toBe(-1);
  }
});

it('reads a decimal comma where asked to', () => {
  const comma = new NumberReader(44);
  expect(read('649,893284051162', comma)).toBe(649.893284051162);
  expect(read('17427,330770575123456789', comma)).toBe(Number('17427.330770575123456789'));
  expect(read('1.5', comma)).toBe(1);
  expect(comma.end).toBe(1);
});
