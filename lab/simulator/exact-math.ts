/**
 * Elementary functions from additions, multiplications, divisions and square roots alone. IEEE 754 fixes those bits,
 * whereas `Math.exp`, `Math.log`, `Math.sin` and `Math.pow` may differ in the last bit between JavaScript engines, and
 * a seed has to give the same bytes everywhere. Relative errors are below 1e-13 unless said otherwise.
 */
export const LN2 = Math.LN2;
export const LN10 = Math.LN10;
export const PI = Math.PI;

const POWERS_OF_TWO = Float64Array.from({ length: 2047 }, (_, i) => {
  let power = 1;
  for (let k = 1023; k < i; k++) power *= 2;
  for (let k = i; k < 1023; k++) power /= 2;
  return power;
});

/** e^x; 0 below -700, the value at 700 above it. */
export function exp(x: number): number {
  if (x < -700) return 0;
  if (x > 700) x = 700;
  const k = Math.floor(x / LN2 + 0.5);
  const r = x - k * 0.6931471803691238 - k * 1.9082149292705877e-10;
  let sum = 1;
  for (let n = 13; n > 0; n--) sum = 1 + (sum * r) / n;
  return sum * POWERS_OF_TWO[k + 1023];
}

const TABLE_FROM = -8;
const TABLE_TO = 40;
const PER_UNIT = 64;
const EXP_TABLE = Float64Array.from({ length: (TABLE_TO - TABLE_FROM) * PER_UNIT + 1 }, (_, i) =>
  exp(-(TABLE_FROM + i / PER_UNIT)),
);

/** e^-x to 1e-11 relative for the sample loops; x is clamped to -8 from below, and gives 0 from 40 on. */
export function expOfMinus(x: number): number {
  if (x >= TABLE_TO) return 0;
  const place = x <= TABLE_FROM ? 0 : (x - TABLE_FROM) * PER_UNIT;
  const index = place | 0;
  const r = (place - index) * (1 / PER_UNIT);
  return EXP_TABLE[index] * (1 - r * (1 - r * (1 / 2 - r * (1 / 6 - r * (1 / 24)))));
}

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** Natural logarithm of a positive normal number. */
export function log(x: number): number {
  float[0] = x;
  let exponent = (words[HIGH] >>> 20) - 1023;
  words[HIGH] = (words[HIGH] & 0xfffff) | 0x3ff00000;
  let mantissa = float[0];
  if (mantissa > Math.SQRT2) {
    mantissa *= 0.5;
    exponent++;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const q = s * s;
  const series =
    1 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * (1 / 13 + q * (1 / 15 + q / 17)))))));
  return exponent * LN2 + 2 * s * series;
}

/** sin(x) for |x| up to about 1e6 (absolute error below 1e-10 there, 1e-15 near zero). */
export function sin(x: number): number {
  const half = Math.floor(x / PI + 0.5);
  const r = x - half * PI;
  const q = r * r;
  let sum = 1;
  for (let n = 20; n > 0; n -= 2) sum = 1 - (sum * q) / (n * (n + 1));
  return (half & 1 ? -r : r) * sum;
}

export const cos = (x: number): number => sin(x + PI / 2);

/** a^x for a > 0. */
export const power = (a: number, x: number): number => exp(x * log(a));
