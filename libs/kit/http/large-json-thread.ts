/** A large JSON body on a thread of its own. */
import { limits } from '#config/limits';

/** Items of a list, or of an object's member `items`: so many of them, each with these members. */
export interface Wanted {
  most: number;
  members: readonly string[];
}

export type Read = { value: unknown } | { refused: 'invalid_json' | 'too_large'; why?: string };

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
/** Values in a body: more would take memory that no list of use to anybody takes. */
const MAX_VALUES = 500_000;
/** Characters of a text that go back, blanks at its ends aside: more than any that is taken. */
const MAX_TEXT = 1_000;

/** Nothing of it but what is wanted goes back: items beyond the most that are taken are null, only to be counted. */
export function readItems(body: Uint8Array, { most, members }: Wanted): Read {
  const fault = tooMuch(body);
  if (fault) return fault;
  let sent: unknown;
  try {
    sent = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return { refused: 'invalid_json' };
  } finally {
    body.fill(0);
  }
  const list = Array.isArray(sent) ? sent : (sent as { items?: unknown } | null)?.items;
  if (!Array.isArray(list)) return { value: {} };
  const items = list.map((item, i) => (i < most ? wantedOf(item, members) : null));
  return { value: Array.isArray(sent) ? items : { items } };
}

function wantedOf(item: unknown, members: readonly string[]): unknown {
  if (typeof item !== 'object' || item === null) return null;
  return Object.fromEntries(
    members.flatMap((name) => {
      const value: unknown = Object.hasOwn(item, name) ? (item as Record<string, unknown>)[name] : undefined;
      if (value === undefined) return [];
      if (typeof value === 'string') return [[name, value.length > MAX_TEXT ? value.trim().slice(0, MAX_TEXT) : value]];
      // Whatever it holds, it is no text.
      return [[name, typeof value === 'object' && value !== null ? {} : value]];
    }),
  );
}

/** Walks over the bytes: what nests too deep, or is too many values, is not even parsed. */
function tooMuch(body: Uint8Array): Read | undefined {
  let depth = 0;
  let values = 1;
  let string = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (string) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) string = false;
    } else if (byte === QUOTE) string = true;
    else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      depth++;
      if (depth > limits.jsonDepth)
        return { refused: 'invalid_json', why: `: more than ${limits.jsonDepth} levels of nesting` };
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    if (values > MAX_VALUES) return { refused: 'too_large', why: `: more than ${MAX_VALUES} values` };
  }
  return undefined;
}
