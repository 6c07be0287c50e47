import { createRequire } from 'node:module';
import { useNodesBase64 } from './base64.js';

const { Message } = createRequire(import.meta.url)('google-protobuf') as {
  Message: { bytesAsU8(value: string | Uint8Array): Uint8Array };
};

it('decodes as google-protobuf does, bytes of every length, and leaves bytes as they are', () => {
  const texts = Array.from({ length: 300 }, (_, length) =>
    Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 73 + length * 31) & 255)).toString('base64'),
  );
  const before = texts.map((text) => [...Message.bytesAsU8(text)]);
  const theirs = Message.bytesAsU8;
  useNodesBase64();
  try {
    expect(Message.bytesAsU8).not.toBe(theirs);
    expect(texts.map((text) => [...Message.bytesAsU8(text)])).toEqual(before);
    const bytes = Uint8Array.of(1, 2, 3);
    expect(Message.bytesAsU8(bytes)).toBe(bytes);
  } finally {
    Message.bytesAsU8 = theirs;
  }
});
