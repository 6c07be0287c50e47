import { setImmediate } from 'node:timers/promises';
import { limits } from '#config/limits';
import { Problem } from './problem.js';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** Bytes walked over, and parsed, before others get a turn. */
const STEP_BYTES = 128 * 1024;
/** Members of the list, and bytes of one: more would take memory and time that no list of use to anybody takes. */
const MAX_MEMBERS = 50_000;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * `JSON.parse` for lists of many objects, whole or as a member of an object, with turns of the event loop in between: the
 * objects are parsed one by one, and what is around them with `{"at": n}` in their places.
 * @throws SyntaxError, TypeError where it is no JSON in UTF-8; Problem (400, 413)
 */
export async function parseLargeJson(body: Uint8Array): Promise<unknown> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parts: [from: number, to: number][] = [];
  let frame = '';
  let framed = 0;
  let depth = 0;
  let within = -1;
  let string = false;
  let pause = STEP_BYTES;
  let members = 1;
  const outermost = body.find((byte) => byte === OPEN_LIST || byte === OPEN_OBJECT);
  const level = outermost === OPEN_LIST ? 1 : 2;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (string) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) string = false;
    } else if (byte === QUOTE) string = true;
    else if (byte === COMMA) {
      if (depth <= level && ++members > MAX_MEMBERS) throw new Problem('too_large', `: more than ${MAX_MEMBERS} items`);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (byte === OPEN_OBJECT && depth === level) within = at;
      if (++depth > limits.jsonDepth) throw tooDeep();
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
      if (depth === level && within >= 0) {
        frame += `${decoder.decode(body.subarray(framed, within))}{"at":${parts.length}}`;
        if (at - within > MAX_BYTES) throw new Problem('too_large', `: an item holds at most ${MAX_BYTES} bytes`);
        parts.push([within, at + 1]);
        framed = at + 1;
        within = -1;
      }
    }
    if (at >= pause) {
      pause = at + STEP_BYTES;
      await setImmediate();
    }
  }
  const whole: unknown = JSON.parse(frame + decoder.decode(body.subarray(framed)));
  const values: unknown[] = [];
  let parsed = 0;
  for (const [from, to] of parts) {
    values.push(JSON.parse(decoder.decode(body.subarray(from, to))));
    parsed += to - from;
    if (parsed < STEP_BYTES) continue;
    parsed = 0;
    await setImmediate();
  }
  return restored(whole, values, level);
}

/** Every object that many levels deep stands for a value; above, all is as it was sent. */
function restored(value: unknown, values: unknown[], level: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return level === 0 ? value : value.map((one) => restored(one, values, level - 1));
  if (level === 0) return values[(value as { at: number }).at];
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, restored(one, values, level - 1)]));
}

/** Refuses what nests deeper than it may, before anything walks it by calling itself. @throws Problem (400) */
export function refuseDeep(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const nested = level.filter((one) => typeof one === 'object' && one !== null) as object[];
    if (nested.length > 0 && depth === limits.jsonDepth) throw tooDeep();
    level = nested.flatMap((one) => Object.values(one));
  }
}

const tooDeep = () => new Problem('invalid_json', `: more than ${limits.jsonDepth} levels of nesting`);
