import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseLargeJson } from './large-json.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const outcome = async (work: () => unknown) => {
  try {
    return { value: await work() };
  } catch {
    return 'refused';
  }
};

it('parses what JSON.parse parses, to the same values', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json(),
        fc.array(fc.object()).map((list) => JSON.stringify(list, null, 1)),
        fc.array(fc.object()).map((items) => JSON.stringify({ items, at: 1 })),
      ),
      async (text) => expect(await parseLargeJson(bytes(text))).toEqual(JSON.parse(text)),
    ),
  );
});

it('refuses what JSON.parse refuses', async () => {
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
  await fc.assert(
    fc.asyncProperty(broken, async (text) =>
      expect(await outcome(() => parseLargeJson(bytes(text)))).toEqual(await outcome(() => JSON.parse(text))),
    ),
    { numRuns: 500 },
  );
  for (const text of ['', '{', ']', '[{]}', '[{}}', '{"items":[{}]}]']) {
    expect(await outcome(() => parseLargeJson(bytes(text)))).toBe('refused');
  }
  expect(await outcome(() => parseLargeJson(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d)))).toBe('refused');
});
