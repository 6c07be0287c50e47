/** Bytes as text of one character each: in a browser too, which has no Buffer. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** What instrument programs write besides UTF-8, by the languages of `QUANTITIES`. */
const ENCODINGS = ['windows-1252', 'windows-1251', 'shift_jis', 'gbk'];

/**
 * Bytes of a line as text: one reading where they are UTF-8, whose last character may be cut off, else one for each encoding
 * that they may be in.
 */
export function decoded(bytes: Uint8Array): string[] {
  if (bytes.every((byte) => byte < 128)) return [latin1(bytes)];
  const text = new TextDecoder().decode(bytes, { stream: true });
  if (!text.includes('\ufffd')) return [text];
  return ENCODINGS.map((encoding) => new TextDecoder(encoding).decode(bytes));
}

/** Text of at most so many bytes, up to its NUL. */
export function textAt(bytes: Uint8Array, at: number, length: number): string {
  const text = latin1(bytes.subarray(at, at + length));
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
