import { FoldedStreams } from './folded-streams.js';
import { StoreUnavailable } from './port.js';

/** A log whose reads are answered when the test says so. */
function slowLog() {
  const log: Record<string, string[]> = {};
  const open: { answer(): void; fail(error: Error): void }[] = [];
  const readStream = (stream: string, { from = 0n } = {}) =>
    new Promise<never[]>((resolve, reject) => {
      // A read sees the events of its beginning.
      const tail = (log[stream] ?? []).slice(Number(from));
      const events = tail.map((data, i) => ({ stream, data, revision: from + BigInt(i) }));
      open.push({ answer: () => resolve(events as unknown as never[]), fail: reject });
    });
  const folded = new FoldedStreams<string, { data: string }>(
    { readStream },
    { initial: '', evolve: (state, { data }) => state + data },
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { log, open, folded, turn };
}

describe('folded streams', () => {
  it('lets all who ask during a read share the next one, which sees what was stored before they asked', async () => {
    const { log, open, folded, turn } = slowLog();
    log.key = ['a'];
    const first = folded.read('key');
    log.key.push('b');
    const later = [folded.read('key'), folded.read('key'), folded.read('key')];
    expect(open).toHaveLength(1);
    open[0].answer();
    expect((await first).state).toBe('a');
    await turn();
    expect(open).toHaveLength(2);
    // Under way already: whoever asks now waits for yet another.
    log.key.push('c');
    const last = folded.read('key');
    open[1].answer();
    expect((await Promise.all(later)).map(({ state }) => state)).toEqual(['ab', 'ab', 'ab']);
    await turn();
    open[2].answer();
    expect(await last).toEqual({ state: 'abc', revision: 2n });
    expect(open).toHaveLength(3);
  });

  it('reports a failed read to those who asked for it, and reads again for the others', async () => {
    const { log, open, folded, turn } = slowLog();
    log.key = ['a'];
    const first = folded.read('key');
    const second = folded.read('key');
    open[0].fail(new Error('unreadable'));
    await expect(first).rejects.toThrow('unreadable');
    await turn();
    open[1].answer();
    expect((await second).state).toBe('a');
    const third = folded.read('key');
    await turn();
    open[2].answer();
    expect((await third).revision).toBe(0n);
  });

  it('lets all who wait know that the log is away, without a second wait, and asks again for whoever comes after', async () => {
    const { log, open, folded } = slowLog();
    log.key = ['a'];
    const waiting = [folded.read('key'), folded.read('key'), folded.read('key')];
    open[0].fail(new StoreUnavailable('away'));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes).toMatchObject(waiting.map(() => ({ status: 'rejected', reason: { message: 'away' } })));
    expect(open).toHaveLength(1);
    const after = folded.read('key');
    open[1].answer();
    expect((await after).state).toBe('a');
  });

  it('keeps streams apart', async () => {
    const { log, open, folded } = slowLog();
    Object.assign(log, { one: ['1'], other: ['2'] });
    const both = [folded.read('one'), folded.read('other')];
    for (const { answer } of open) answer();
    expect((await Promise.all(both)).map(({ state }) => state)).toEqual(['1', '2']);
  });
});
