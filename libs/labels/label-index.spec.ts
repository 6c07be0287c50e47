import type { ReadStreamOptions, RecordedEvent } from '#kit/log/port';
import type { ResultOf } from '#kit/views/kept-results';
import { LabelIndex } from './label-index.js';

/** A key's stream of labels, by claim, and a note of what was read of it: from where, and how many. */
function stream(...claims: string[]) {
  const rows: { id: string; type: string; revision: bigint; data: object }[] = [];
  const reads: [from: number, rows: number][] = [];
  const add = (claim_id: string, expected = 'match') => {
    const type = rows.some(({ data }) => 'claim_id' in data && data.claim_id === claim_id)
      ? 'LabelAmended'
      : 'ClaimLabelled';
    rows.push({
      id: `${claim_id} ${rows.length}`,
      type,
      revision: BigInt(rows.length),
      data: { claim_id, label: { expected } },
    });
  };
  for (const claim of claims) add(claim);
  const readStream = async (_: string, { from = 0n, limit = 0 }: ReadStreamOptions = {}) => {
    const found = rows.slice(Number(from), Number(from) + limit);
    reads.push([Number(from), found.length]);
    return found as unknown as RecordedEvent[];
  };
  const kept = new Map<string, string>();
  const get = async <Result>(of: ResultOf, compute: () => Promise<Result>): Promise<Result> => {
    const name = JSON.stringify(of);
    if (!kept.has(name)) kept.set(name, JSON.stringify(await compute()));
    return JSON.parse(kept.get(name)!);
  };
  /** As after a start. */
  const seals = { countIn: () => rows.filter(({ type }) => type === 'EventLost').length };
  const again = () => new LabelIndex({ readStream }, { get }, seals);
  return { rows, reads, add, again, index: again() };
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

it('reads after a start what was not read before it, whatever other history a backup has', async () => {
  const { rows, reads, add, again, index } = stream(...many(4100));
  await index.read('k', ['c3']);
  reads.length = 0;
  add('c3', 'no_match');
  expect((await again().read('k', ['c3'])).state.get('c3')).toEqual([{ expected: 'no_match' }]);
  // The ends of two pages and of none, the rest, the label.
  expect(reads).toEqual([
    [1999, 1],
    [3999, 1],
    [5999, 0],
    [4000, 101],
    [4100, 1],
  ]);
  rows.length = 1500;
  for (const claim of many(600)) add(`other ${claim}`);
  const { state, revision } = await again().read('k', ['c1600', 'other c400']);
  expect([[...state.keys()], revision]).toEqual([['other c400'], 2099n]);
});

it('decides nothing from a kept page in which a damaged row was found', async () => {
  const { rows, again, index } = stream(...many(2100));
  expect((await index.read('k', ['c5'])).state.size).toBe(1);
  rows[3] = { ...rows[3], type: 'EventLost' };
  await expect(again().read('k', ['c5'])).rejects.toMatchObject({ name: 'StreamUndecidable' });
});

it('reads a kept page anew in which a row was disowned', async () => {
  const { rows, add, again, index } = stream('a', ...many(1998));
  add('a', 'no_match');
  expect((await index.read('k', ['a'])).state.get('a')).toEqual([{ expected: 'no_match' }]);
  rows[1999] = { ...rows[1999], type: 'NoEvent', data: {} };
  for (const restarted of [again(), again()])
    expect((await restarted.read('k', ['a'])).state.get('a')).toEqual([{ expected: 'match' }]);
});

it('reads a stream anew in which a row was disowned', async () => {
  const { rows, add, index } = stream('a', 'b');
  add('a', 'no_match');
  expect((await index.read('k', ['a'])).state.get('a')).toEqual([{ expected: 'no_match' }]);
  rows[2] = { ...rows[2], type: 'NoEvent', data: {} };
  const { state, revision } = await index.read('k', ['a']);
  expect([state.get('a'), revision]).toEqual([[{ expected: 'match' }], 2n]);
});

it('decides nothing from a stream of which an event was lost', async () => {
  const { rows, index } = stream('a');
  rows.push({ id: 'lost', type: 'EventLost', revision: 1n, data: {} });
  await expect(index.read('k', ['a'])).rejects.toMatchObject({ name: 'StreamUndecidable' });
  await expect(index.read('k', ['a'])).rejects.toMatchObject({ name: 'StreamUndecidable' });
});
