/**
 * The client hands an event's bytes to protocol buffers as base64, which google-protobuf decodes in JavaScript, letter by
 * letter: 8% of the processor time of an append of 4 kB. Node's own decoder gives the same bytes.
 */
import { createRequire } from 'node:module';

interface Message {
  bytesAsU8(value: string | Uint8Array): Uint8Array;
}

const { Message } = createRequire(import.meta.url)('google-protobuf') as { Message: Message };
const { bytesAsU8 } = Message;

function decodeBase64(text: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text, 'base64');
  return new Uint8Array(buffer, byteOffset, length);
}

/** From now on, in the whole process. */
export function useNodesBase64(): void {
  Message.bytesAsU8 = (value) => (typeof value === 'string' ? decodeBase64(value) : bytesAsU8(value));
}
