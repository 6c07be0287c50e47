import fc from 'fast-check';
import { ModelFileError, readSafetensors, writeSafetensors } from './safetensors.js';

const file = writeSafetensors({
  tensors: new Map([
    ['b', { shape: [2, 3], data: Float32Array.of(1, -2, 3.5, 4, 5, 6) }],
    ['a', { shape: [2], data: Float32Array.of(7, 8) }],
  ]),
  metadata: { format: 'x', author: 'y' },
});

/** A file with this header before 8 bytes of data. */
function withHeader(header: unknown): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + 8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  return bytes;
}

/** Any bytes: a reading or a ModelFileError, recognised by name as errors cross realms. */
function typed(bytes: Uint8Array): string {
  try {
    readSafetensors(bytes);
    return 'read';
  } catch (error) {
    expect(error).toBeInstanceOf(ModelFileError);
    return (error as Error).message;
  }
}

describe('safetensors', () => {
  it('gives back what was written, in canonical order', () => {
    const { tensors, metadata } = readSafetensors(file);
    expect([...tensors.keys()].sort()).toEqual(['a', 'b']);
    expect(tensors.get('b')!.shape).toEqual([2, 3]);
    expect([...tensors.get('b')!.data]).toEqual([1, -2, 3.5, 4, 5, 6]);
    expect(metadata).toEqual({ format: 'x', author: 'y' });
    expect([...writeSafetensors({ tensors, metadata })]).toEqual([...file]);
    expect(file.length % 8).toBe(0);
  });

  it.each([
    ['a type other than F32', { a: { dtype: 'I64', shape: [1], data_offsets: [0, 8] } }, 'F32'],
    ['a shape that is not its size', { a: { dtype: 'F32', shape: [3], data_offsets: [0, 8] } }, 'place'],
    ['a negative side', { a: { dtype: 'F32', shape: [-2], data_offsets: [0, 8] } }, 'shape'],
    ['a huge shape', { a: { dtype: 'F32', shape: [1e15, 1e15], data_offsets: [0, 8] } }, 'place'],
    ['offsets beyond the file', { a: { dtype: 'F32', shape: [4], data_offsets: [0, 16] } }, 'place'],
    [
      'an overlap',
      { a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] }, b: { dtype: 'F32', shape: [1], data_offsets: [4, 8] } },
      'overlaps',
    ],
    ['a gap', { a: { dtype: 'F32', shape: [1], data_offsets: [4, 8] } }, 'gaps'],
    ['loose bytes', { a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, 'no tensor'],
    ['metadata that are no texts', { __metadata__: { a: 1 } }, 'not texts'],
    ['a header that is a list', [], 'JSON object'],
  ])('refuses %s', (_, header, phrase) => {
    expect(typed(withHeader(header))).toContain(phrase);
  });

  it('never throws anything else, on any bytes and on mutated files', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => typed(bytes).length > 0));
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(255), fc.nat(file.length), (at, value, length) => {
        const bytes = file.slice(0, Math.max(at + 1, length));
        bytes[at] = value;
        return typed(bytes).length > 0;
      }),
      { numRuns: 1000 },
    );
  });
});
