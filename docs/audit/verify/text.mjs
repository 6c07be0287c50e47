/** Bytes into values, by the one grammar that grammar.md writes down. Needs no Node: a browser runs it as it is. */

/** The bundle is not what it has to be; the message says where. */
export class Differs extends Error {}

/** @throws Differs */
export const differs = (file, what) => {
  throw new Differs(`${file}: ${what}`);
};

/** A value for a message: at most so long, and nothing in it that a terminal would obey. */
/** What makes two operators two: of those of an identity provider, issuer and subject. */
export const eyeOf = (operator) => / <([^<>]+#[^<>]+)>$/.exec(operator)?.[1] ?? operator;

export const shown = (value) =>
  String(JSON.stringify(value))
    .slice(0, 120)
    .replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const MOST_LINE_BYTES = 8 << 20;

/** A file's lines as text. Each ends with a line feed, the last one too. @throws Differs */
export async function* linesOf(file, pieces) {
  let held = [];
  let size = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const end = piece.indexOf(10, from);
      const part = piece.subarray(from, end < 0 ? piece.length : end);
      held.push(part);
      size += part.length;
      if (size > MOST_LINE_BYTES) differs(file, 'has a line that is longer than any event');
      from += part.length + 1;
      if (end < 0) continue;
      yield utf8(file, joined(held, size));
      held = [];
      size = 0;
    }
  }
  if (size > 0) differs(file, 'its last line is cut');
}

/** The bytes of base64 in its one form. */
export function bytesOfBase64(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** A whole file. */
export async function bytesOf(pieces) {
  const held = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
  }
  return joined(held, size);
}

function joined(parts, size) {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @throws Differs where the bytes are no UTF-8. A byte order mark stays, and is no JSON. */
export function utf8(file, bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return differs(file, 'is no UTF-8');
  }
}

/**
 * A value in the one form that JSON.stringify gives it: so no member twice, no blank, no 13682.0, 1e3, -0 or 1e999.
 * @param indent blanks by level; without it the text is one line
 * @throws Differs
 */
export function parsed(file, text, indent) {
  let value;
  let again;
  try {
    value = JSON.parse(text);
    again = JSON.stringify(value, null, indent);
  } catch {
    // Also what is nested too deeply to be gone through.
    differs(file, 'holds something that is no JSON');
  }
  if (again !== text) differs(file, 'holds JSON in another form than its own');
  return value;
}

// Kinds of values: functions that say what is wrong with a value at a place, or nothing.

const kind = (name, test) => (value, at) => (test(value) ? undefined : `${at} is no ${name}`);

export const text = kind('text', (value) => typeof value === 'string');
/** A text in which every surrogate has its other half. */
export const name = kind('name', (value) => typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value));
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const whole = kind('whole number from 0 to 2^53 - 1', (value) => Number.isSafeInteger(value) && value >= 0);
/** Other languages keep whole numbers beyond 2^53 exactly, and JavaScript does not. */
export const number = kind(
  'number',
  (value) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)),
);
export const like = (what, pattern) => kind(what, (value) => typeof value === 'string' && pattern.test(value));
export const oneOf = (...values) => kind(values.map(shown).join(' or '), (value) => values.includes(value));
export const orNull = (one) => (value, at) => (value === null ? undefined : one(value, at));
/** A member that may be left out. */
export const optional = (one) => Object.assign((value, at) => one(value, at), { optional: true });
export const anything = () => undefined;

const faultIn = (places) => {
  for (const [one, value, at] of places) {
    const fault = one(value, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
};
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

export const list = (one) => (value, at) =>
  Array.isArray(value) ? faultIn(value.map((each, i) => [one, each, `${at}[${i}]`])) : `${at} is no list`;

/** These members and no others. */
export const record = (members) => (value, at) => {
  if (!isObject(value)) return `${at} is no object`;
  for (const member of Object.keys(value))
    if (!Object.hasOwn(members, member)) return `${at} has a member ${shown(member)}, which is none of its own`;
  for (const [member, one] of Object.entries(members))
    if (!one.optional && !Object.hasOwn(value, member)) return `${at} has no ${member}`;
  return faultIn(Object.entries(value).map(([member, each]) => [members[member], each, `${at}.${member}`]));
};

/** These members, and any others beside them. */
export const holding = (members) => (value, at) => {
  if (!isObject(value)) return `${at} is no object`;
  for (const member of Object.keys(members)) if (!Object.hasOwn(value, member)) return `${at} has no ${member}`;
  return faultIn(Object.entries(members).map(([member, one]) => [one, value[member], `${at}.${member}`]));
};

/** Any members, all of one kind. Names of digits alone have no fixed order in JavaScript. */
export const map = (one) => (value, at) => {
  if (!isObject(value)) return `${at} is no object`;
  for (const member of Object.keys(value))
    if (/^[0-9]*$/.test(member)) return `${at} has a member ${shown(member)}, which is no name`;
  return faultIn(Object.entries(value).map(([member, each]) => [one, each, `${at}.${shown(member)}`]));
};

/** @throws Differs */
export function checked(file, one, value, at) {
  const fault = one(value, at);
  if (fault !== undefined) differs(file, fault);
  return value;
}
