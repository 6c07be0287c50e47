import type { ReadStreamOptions, RecordedEvent } from '#kit/log/port';
import { LabelIndex } from './label-index.js';

/** A key's stream of labels, by claim, and a note of what was read of it: from where, and how many. */
function stream(...claims: string[]) {
  const rows: { type: string; revision: bigint; data: object }[] = [];
  const reads: [from: number, rows: number][] = [];
  const add = (claim_id: string, expected = 'match') => {
    const type = rows.some(({ data }) => 'claim_id' in data && data.claim_id === claim_id)
      ? 'LabelAmended'
      : 'ClaimLabelled';
    rows.push({ type, revision: BigInt(rows.length), data: { claim_id, label: { expected } } });
  };
  for (const claim of claims) add(claim);
  const readStream = async (_: string, { from = 0n, limit = 0 }: ReadStreamOptions = {}) => {
    const found = rows.slice(Number(from), Number(from) + limit);
    reads.push([Number(from), found.length]);
    return found as unknown as RecordedEvent[];
  };
  return { rows, reads, add, index: new LabelIndex({ readStream }) };
}
const many = (n: number) => Array.from({ length: n }, (_, i) => `c${i}`);

it('reads what is new and the labels that are asked for, however many the key holds', async () => {
  const { reads, add, index } = stream(...many(25_000));
  const { state, revision } = await index.read('k', ['c10', 'c11', 'c24000', 'unknown']);
  expect([...state.keys(), revision]).toEqual(['c10', 'c11', 'c24000', 24_999n]);
  reads.length = 0;
  add('new');
  add('c11', 'no_match');
  const again = await index.read('k', ['c11', 'new']);
  expect([...again.state].map(([id, labels]) => [id, labels.at(-1)?.expected])).toEqual([
    ['new', 'match'],
    ['c11', 'no_match'],
  ]);
  expect(again.revision).toBe(25_001n);
  expect(reads).toEqual([
    [25_000, 2],
    [25_000, 2],
  ]);
});

it('holds the newest label where two calls read at once', async () => {
  const { add, index } = stream(...many(10_500));
  const first = index.read('k', ['c3']);
  add('c3', 'no_match');
  const labels = await Promise.all([first, index.read('k', ['c3'])]);
  expect(labels.map(({ state }) => state.get('c3')?.at(-1)?.expected)).toEqual(['no_match', 'no_match']);
});

it('reads a stream anew in which a row was disowned', async () => {
  const { rows, add, index } = stream('a', 'b');
  add('a', 'no_match');
  expect((await index.read('k', ['a'])).state.get('a')).toEqual([{ expected: 'no_match' }]);
  rows[2] = { type: 'NoEvent', revision: 2n, data: {} };
  const { state, revision } = await index.read('k', ['a']);
  expect([state.get('a'), revision]).toEqual([[{ expected: 'match' }], 2n]);
});

it('decides nothing from a stream of which an event was lost', async () => {
  const { rows, index } = stream('a');
  rows.push({ type: 'EventLost', revision: 1n, data: {} });
  await expect(index.read('k', ['a'])).rejects.toMatchObject({ name: 'StreamUndecidable' });
  await expect(index.read('k', ['a'])).rejects.toMatchObject({ name: 'StreamUndecidable' });
});
