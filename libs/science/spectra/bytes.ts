/** Bytes as text of one character each: in a browser too, which has no Buffer. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
