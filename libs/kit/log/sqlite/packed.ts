/**
 * The data of an event as a row holds them: the JSON text, or bytes where long base64 stands in it, as vectors do, which is a
 * third longer than what it means. Bytes are the text with the length of each such string between two marks in its place, a
 * zero, and what the strings mean, one after the other. No JSON text holds a zero or a mark.
 */

/** Strings of base64 that are worth it, each with its quotes. */
const LONG = /"[A-Za-z0-9+/]{256,}={0,2}"/g;
const MARK = '\u0001';
const MARKED = new RegExp(`${MARK}(\\d+)${MARK}`, 'g');

/** What a row holds for a text: bytes only where the text comes out of them again, character by character. */
export function packed(text: string): string | Buffer {
  const meant: Buffer[] = [];
  const rest = text.replace(LONG, (quoted) => {
    const bytes = Buffer.from(quoted.slice(1, -1), 'base64');
    meant.push(bytes);
    return `"${MARK}${bytes.length}${MARK}"`;
  });
  if (meant.length === 0) return text;
  const bytes = Buffer.concat([Buffer.from(rest), Buffer.of(0), ...meant]);
  return unpacked(bytes) === text ? bytes : text;
}

/** @param held by a row: another hand may have put anything there */
export function unpacked(held: unknown): string {
  if (!ArrayBuffer.isView(held)) return String(held);
  const bytes = Buffer.from(held.buffer, held.byteOffset, held.byteLength);
  const zero = bytes.indexOf(0);
  let end = zero + 1;
  return bytes.toString('utf8', 0, zero < 0 ? bytes.length : zero).replace(MARKED, (_, length) => {
    const from = end;
    end += Number(length);
    return bytes.toString('base64', from, end);
  });
}
