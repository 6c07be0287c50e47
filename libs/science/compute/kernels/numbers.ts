// Lists of decimal numbers from bytes. Compiled by the build; driven by ../../spectra/json-scanner.ts, which reads by
// itself whatever this leaves to it, with the same arithmetic as ../../spectra/numbers.ts, so the bits are the same.

const MINUS: i32 = 45;
const DOT: i32 = 46;
const ZERO: i32 = 48;
const COMMA: i32 = 44;
const CLOSE_LIST: i32 = 93;

/** Digits that a double holds exactly, and those of the pair of the long path. */
const DOUBLE_DIGITS: i32 = 15;
const PAIR_DIGITS: i32 = 18;
/** Bytes that are looked at from an element's beginning on, at most. */
const LONGEST: i32 = 64;
const BLANKS: i32 = 4;

const SPLITTER: f64 = 134217729;
const ROUNDING_MARGIN: f64 = 1e-30;

const TEXT_BYTES: i32 = 131072;
const MOST: i32 = 4096;
const TEXT: usize = memory.data(TEXT_BYTES + 64, 16);
const VALUES: usize = memory.data(MOST * 8, 16);
/** 10^0 to 10^22, exactly. */
const POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]);

/** Behind it 64 bytes that are no part of a number. */
export function text(): usize {
  return TEXT;
}
export function textBytes(): i32 {
  return TEXT_BYTES;
}
export function values(): usize {
  return VALUES;
}
export function most(): i32 {
  return MOST;
}

let stopped: i32 = 0;

/** The place where the last call stopped. */
export function end(): i32 {
  return stopped;
}

// @ts-ignore: decorator
@inline
function blank(c: i32): bool {
  return c == 32 || c == 10 || c == 13 || c == 9;
}

// @ts-ignore: decorator
@inline
function power(k: i32): f64 {
  return load<f64>(POWERS + (<usize>k << 3));
}

const SHIFTS: usize = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000]);

/**
 * Number of leading digits among eight bytes, given as their differences from "0" (Lemire 2021, Number parsing at a
 * gigabyte a second).
 */
// @ts-ignore: decorator
@inline
function digitsOf(t: u64): i32 {
  const others = ((t + 0x7676767676767676) | t) & 0x8080808080808080;
  return <i32>(ctz(others) >> 3);
}

/** The number that the first `count` of eight bytes write. */
// @ts-ignore: decorator
@inline
function value8(bytes: u64, count: i32): u64 {
  let t = count == 0 ? 0 : bytes << (<u64>(8 - count) << 3);
  t = (t * 10 + (t >> 8)) & 0x00ff00ff00ff00ff;
  t = (t * 100 + (t >> 16)) & 0x0000ffff0000ffff;
  return (t * 10000 + (t >> 32)) & 0xffffffff;
}

/**
 * Reads elements that begin before `until` and lie whole before `bytes`, into `values`, up to a list's closing bracket. It
 * stops before an element that it does not read. The caller tells by the last byte read if it was the bracket.
 * @returns how many
 */
export function read(from: i32, until: i32, bytes: i32): i32 {
  let count = 0;
  let p = TEXT + from;
  const stop = TEXT + min(until, bytes - LONGEST);
  while (p < stop && count < MOST) {
    let at = p;
    let digit = <i32>load<u8>(at);
    for (let skipped = 0; digit <= 32 && skipped < BLANKS && blank(digit); skipped++) digit = <i32>load<u8>(++at);
    const negative = digit == MINUS;
    if (negative) digit = load<u8>(++at);
    const first = at;
    let mantissa: u64 = 0;
    digit -= ZERO;
    while (<u32>digit <= 9 && at < first + 10) {
      mantissa = mantissa * 10 + digit;
      digit = <i32>load<u8>(++at) - ZERO;
    }
    const whole = <i32>(at - first);
    // No digit, ten and more, or a leading zero: not read here.
    if (whole == 0 || whole > 9 || (whole > 1 && load<u8>(first) == ZERO)) break;
    let fraction = 0;
    if (digit == DOT - ZERO) {
      at++;
      let run: i32;
      do {
        const bytes = load<u64>(at) ^ 0x3030303030303030;
        run = digitsOf(bytes);
        mantissa = mantissa * load<u64>(SHIFTS + (<usize>run << 3)) + value8(bytes, run);
        at += run;
        fraction += run;
      } while (run == 8 && fraction < 24);
      if (fraction == 0) break;
      digit = <i32>load<u8>(at) - ZERO;
    }
    const digits = whole + fraction;
    if (digits > PAIR_DIGITS) break;
    for (let skipped = 0; digit <= 32 - ZERO && skipped < BLANKS && blank(digit + ZERO); skipped++)
      digit = <i32>load<u8>(++at) - ZERO;
    const more = digit == COMMA - ZERO;
    if (!more && digit != CLOSE_LIST - ZERO) break;
    let value: f64;
    if (digits <= DOUBLE_DIGITS) value = <f64>(<i64>mantissa) / power(fraction);
    else {
      value = quotient(mantissa, digits - 9, fraction);
      if (value != value) break;
    }
    store<f64>(VALUES + (<usize>count << 3), negative ? -value : value);
    count++;
    p = at + 1;
    if (!more) break;
  }
  stopped = <i32>(p - TEXT);
  return count;
}

/** mantissa / 10^fraction rounded to nearest, or NaN where the error bound leaves it open; `scale` digits are the low part. */
function quotient(mantissa: u64, scale: i32, fraction: i32): f64 {
  const split = <u64>power(scale);
  const high = <f64>(mantissa / split);
  const product = high * power(scale);
  const rest = productError(high, power(scale), product) + <f64>(mantissa % split);
  const a = product + rest;
  const b = rest - (a - product);
  const divisor = power(fraction);
  const q = a / divisor;
  const back = q * divisor;
  const remainder = a - back - productError(q, divisor, back) + b;
  const correction = remainder / divisor;
  const value = q + correction;
  const error = correction - (value - q);
  const margin = value * ROUNDING_MARGIN;
  return value + (error + margin) == value && value + (error - margin) == value ? value : NaN;
}

/** x * y - product, exactly (Dekker). */
function productError(x: f64, y: f64, product: f64): f64 {
  const cx = SPLITTER * x;
  const xh = cx - (cx - x);
  const xl = x - xh;
  const cy = SPLITTER * y;
  const yh = cy - (cy - y);
  const yl = y - yh;
  return xh * yh - product + xh * yl + xl * yh + xl * yl;
}
