/**
 * Decimal numbers straight from bytes, equal to Number(token) bit for bit.
 * Up to 15 digits: one exact division (Clinger 1990). Up to 19 digits: a quotient in double-double arithmetic
 * (Dekker 1971) whose error bound proves the rounding, else the runtime's own conversion.
 */

import { latin1 } from './bytes.js';

const EXACT_POWERS = 22;
const POWERS = 45;
/** 10^k = HIGH[k] + LOW[k] exactly for k <= 45 (5^45 has 105 bits); LOW is 0 up to k = 22. */
const HIGH = Float64Array.from({ length: POWERS + 1 }, (_, k) => Number(10n ** BigInt(k)));
const LOW = Float64Array.from(HIGH, (high, k) => Number(10n ** BigInt(k) - BigInt(high)));
/** Digits that fit an int32, a double, the pair of the long path. */
const INT_DIGITS = 9;
const DOUBLE_DIGITS = 15;
const PAIR_DIGITS = 19;
/** Bytes of a number in a scan file: a longer token is not one. */
const LONGEST = 1024;
const SPLITTER = 134217729;
const ROUNDING_MARGIN = 1e-30;

const MINUS = 45;
const DOT = 46;
const ZERO = 48;

/** Reads one number at a time; afterwards `end` is where it stopped, or -1 where no number stands. */
export class NumberReader {
  end = -1;

  /** @param decimal byte of the decimal mark */
  constructor(private readonly decimal: number = DOT) {}

  /**
   * The number at `start`: [-] digits [mark digits] [e [sign] digits], with a digit before or after the mark.
   */
  read(bytes: Uint8Array, start: number): number {
    let p = start;
    let c = bytes[p];
    const negative = c === MINUS;
    if (negative) c = bytes[++p];
    const first = p;
    let high = 0;
    let low = 0;
    const stop = first + LONGEST;
    let digit = c - ZERO;
    while (digit >= 0 && digit <= 9 && p < stop) {
      high = (Math.imul(high, 10) + digit) | 0;
      digit = bytes[++p] - ZERO;
    }
    const whole = p - first;
    let fraction = 0;
    if (digit === this.decimal - ZERO) {
      const mark = p;
      const highEnd = first + 1 + INT_DIGITS;
      const lowEnd = highEnd + INT_DIGITS;
      digit = bytes[++p] - ZERO;
      while (digit >= 0 && digit <= 9 && p < highEnd) {
        high = (Math.imul(high, 10) + digit) | 0;
        digit = bytes[++p] - ZERO;
      }
      while (digit >= 0 && digit <= 9 && p < lowEnd) {
        low = (Math.imul(low, 10) + digit) | 0;
        digit = bytes[++p] - ZERO;
      }
      while (digit >= 0 && digit <= 9 && p < stop) digit = bytes[++p] - ZERO;
      fraction = p - mark - 1;
    }
    const digits = whole + fraction;
    if (digits === 0 || p === stop) {
      this.end = -1;
      return Number.NaN;
    }
    this.end = p;
    // Bytes 101 and 69 are e and E.
    let value: number;
    if (digit === 101 - ZERO || digit === 69 - ZERO || digits > 2 * INT_DIGITS || whole > INT_DIGITS) {
      return this.readLong(bytes, start, first, fraction);
    }
    if (digits <= INT_DIGITS) value = high / HIGH[fraction];
    else if (digits <= DOUBLE_DIGITS) value = (high * HIGH[digits - INT_DIGITS] + low) / HIGH[fraction];
    else {
      value = quotient(high, low, digits - INT_DIGITS, fraction);
      if (Number.isNaN(value)) return this.convert(bytes, start, p);
    }
    return negative ? -value : value;
  }

  /** A number of many digits or with an exponent; `this.end` is the end of its digits. */
  private readLong(bytes: Uint8Array, start: number, first: number, fraction: number): number {
    const end = this.end;
    let exponent = 0;
    let p = end;
    if (bytes[p] === 101 || bytes[p] === 69) {
      p++;
      const sign = bytes[p];
      if (sign === 43 || sign === MINUS) p++;
      const power = p;
      let digit = bytes[p] - ZERO;
      while (digit >= 0 && digit <= 9 && p < start + LONGEST) {
        if (exponent < 10000) exponent = exponent * 10 + digit;
        digit = bytes[++p] - ZERO;
      }
      if (p === power) {
        // "1e" and "1e+" hold the number 1 and something else behind it.
        exponent = 0;
      } else {
        if (sign === MINUS) exponent = -exponent;
        this.end = p;
      }
    }
    const divisor = fraction - exponent;
    // Nine digits, nine more, and one: integers that int32 arithmetic holds.
    p = first;
    while (p < end && (bytes[p] === ZERO || bytes[p] === this.decimal)) p++;
    let high = 0;
    let low = 0;
    let significant = 0;
    for (; p < end && significant < INT_DIGITS; p++) {
      const digit = bytes[p] - ZERO;
      if (digit < 0) continue;
      high = (Math.imul(high, 10) + digit) | 0;
      significant++;
    }
    for (; p < end && significant < 2 * INT_DIGITS; p++) {
      const digit = bytes[p] - ZERO;
      if (digit < 0) continue;
      low = (Math.imul(low, 10) + digit) | 0;
      significant++;
    }
    for (; p < end; p++) {
      const digit = bytes[p] - ZERO;
      if (digit < 0) continue;
      if (++significant > PAIR_DIGITS) return this.convert(bytes, start, this.end);
      low = low * 10 + digit;
    }
    const scale = Math.max(0, significant - INT_DIGITS);
    let value = Number.NaN;
    if (significant <= DOUBLE_DIGITS && divisor <= EXACT_POWERS && divisor >= -EXACT_POWERS) {
      const mantissa = high * HIGH[scale] + low;
      value = divisor >= 0 ? mantissa / HIGH[divisor] : mantissa * HIGH[-divisor];
    } else if (divisor >= 0 && divisor <= POWERS) {
      value = quotient(high, low, scale, divisor);
    }
    if (!Number.isNaN(value)) return bytes[start] === MINUS ? -value : value;
    return this.convert(bytes, start, this.end);
  }

  private convert(bytes: Uint8Array, start: number, end: number): number {
    const token = latin1(bytes.subarray(start, end));
    return Number(this.decimal === DOT ? token : token.replace(String.fromCharCode(this.decimal), '.'));
  }
}

/** (high * 10^scale + low) / 10^divisor rounded to nearest, or NaN where the error bound leaves it open. */
function quotient(high: number, low: number, scale: number, divisor: number): number {
  const product = high * HIGH[scale];
  const rest = productError(high, HIGH[scale], product) + low;
  const a = product + rest;
  const b = rest - (a - product);
  const power = HIGH[divisor];
  const q = a / power;
  const back = q * power;
  const remainder = a - back - productError(q, power, back) - q * LOW[divisor] + b;
  const correction = remainder / power;
  const value = q + correction;
  const error = correction - (value - q);
  const margin = value * ROUNDING_MARGIN;
  return value + (error + margin) === value && value + (error - margin) === value ? value : Number.NaN;
}

/** x * y - product, exactly (Dekker). */
function productError(x: number, y: number, product: number): number {
  const cx = SPLITTER * x;
  const xh = cx - (cx - x);
  const xl = x - xh;
  const cy = SPLITTER * y;
  const yh = cy - (cy - y);
  const yl = y - yh;
  return xh * yh - product + xh * yl + xl * yh + xl * yl;
}
