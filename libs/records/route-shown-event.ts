/** An event as operators see it: without hashes of credentials, and with long values in short. */
const MASKED = 'masked';
/** Longer texts and lists of numbers are vectors or a scorer's bytes. */
const LONGEST_TEXT = 2_100;
const LONGEST_VECTOR = 32;
const BASE64 = /^[A-Za-z0-9+/]{200,}={0,2}$/;

export function shownValue(value: unknown, name = ''): unknown {
  if (name.endsWith('_sha256')) return MASKED;
  if (typeof value === 'string') {
    const isLong = value.length > LONGEST_TEXT || BASE64.test(value);
    return isLong ? `${value.slice(0, 16)}... (${value.length} characters)` : value;
  }
  if (Array.isArray(value)) {
    if (value.length > LONGEST_VECTOR && typeof value[0] === 'number') return `${value.length} numbers`;
    return value.map((one) => shownValue(one));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, of]) => [member, shownValue(of, member)]));
}
