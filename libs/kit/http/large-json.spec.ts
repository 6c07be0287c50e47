import { afterAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { limits } from '#config/limits';
import { LargeJson } from './large-json.js';
import { readItems } from './large-json-thread.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const wanted = { most: 3, members: ['a', 'b'] };
const large = new LargeJson(60_000);
afterAll(() => large.close());

it('gives what is wanted of each item, and counts those beyond the most that are taken', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: fc.string(), b: fc.oneof(fc.integer(), fc.constant(null)), c: fc.json() })),
      fc.boolean(),
      (items, whole) => {
        const sent = whole ? items : { at: 1, items };
        const expected = items.map(({ a, b }, i) => (i < 3 ? { a, b } : null));
        expect(readItems(bytes(JSON.stringify(sent, null, 1)), wanted)).toEqual({
          value: whole ? expected : { items: expected },
        });
      },
    ),
  );
});

it.each<[string, string, unknown]>([
  ['no list', '{"items": 5}', {}],
  ['no object', '"items"', {}],
  ['null', 'null', {}],
  ['items that are none', '[5, null, "x", {}]', [null, null, null, null]],
  ['members that are no text', '[{"a": {"b": 1}, "b": [1]}]', [{ a: {}, b: {} }]],
  ['a text longer than any that is taken', `[{"a": " ${'x'.repeat(2_000)}"}]`, [{ a: 'x'.repeat(1_000) }]],
])('of %s', (_, text, value) => {
  expect(readItems(bytes(text), wanted)).toEqual({ value });
});

it('refuses what JSON.parse refuses', () => {
  const broken = fc
    .tuple(
      fc.array(fc.object(), { minLength: 1 }),
      fc.nat(),
      fc.constantFrom('', '{', '}', '[', ']', '"', '\\', ',', '1'),
    )
    .map(([list, at, by]) => {
      const text = JSON.stringify(list);
      const place = at % text.length;
      return text.slice(0, place) + by + text.slice(place + 1);
    });
  const parses = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(broken, (text) => {
      expect('value' in readItems(bytes(text), wanted)).toBe(parses(text));
    }),
    { numRuns: 500 },
  );
  expect(readItems(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d), wanted)).toEqual({ refused: 'invalid_json' });
});

it('400, 413: on the thread, what nests too deep or is too many values', async () => {
  const read = (text: string) => large.read(bytes(text), 'a', wanted);
  expect(await read('[{"a": "b"}]')).toEqual([{ a: 'b' }]);
  const most = '['.repeat(limits.jsonDepth);
  expect(await read(`${most}${']'.repeat(limits.jsonDepth)}`)).toEqual([{}]);
  await expect(read(`[${most}`)).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/64 levels/) });
  await expect(read(`[${'1,'.repeat(500_000)}1]`)).rejects.toMatchObject({ status: 413 });
});
