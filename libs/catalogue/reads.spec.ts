import { readdirSync, rmSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { answerTo } from '#kit/http/answers';
import { type Coding, ViewsUnread } from '#kit/views/encode';
import { BadCursor } from '#kit/views/page';
import type { ReadModels } from '#kit/views/reads';
import { ViewReads } from '#kit/views/reads';
import { closeViews, keyOf, MODEL, TestLog, viewOf } from '#kit/views/test/log';
import type { ViewFile } from '#kit/views/view-file';
import { TooManyBuckets } from '#records/queries-calls';
import { PROJECTIONS } from './projections.js';
import { ANSWERING } from './reads.js';
import { readModels } from './reads-thread.js';

const log = new TestLog();
for (let n = 0; n < 60; n++)
  log.claim({
    key: keyOf(n % 3 ? 'lab-a' : 'lab-b'),
    rough: { stone: `r${n}`, reference: `r${n}` },
    polish: { stone: `p${n % 7}`, reference: 'p' },
    verdict: n % 2 ? 'MATCH' : 'NO_MATCH',
  });

const files = new Map<string, ViewFile>();
const file = (name: string) => files.get(name)!;
const opened: ViewReads[] = [];
function asked(views: { file(name: string): ViewFile } = { file }): ViewReads {
  const reads = new ViewReads(views, 60_000, ANSWERING);
  opened.push(reads);
  return reads;
}
/** Ends the thread as a crash does. */
const crash = (reads: ViewReads) =>
  (
    reads as unknown as { pool: { threads: { worker: { terminate(): Promise<number> } }[] } }
  ).pool.threads[0].worker.terminate();

beforeAll(() => {
  for (const projection of PROJECTIONS) files.set(projection.name, viewOf(projection, log.events));
});
afterEach(async () => {
  for (const reads of opened.splice(0)) await reads.close();
});
afterAll(closeViews);

const CLAIM = `clm_${'1'.padStart(32, '0')}`;
const WINDOW = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' };

describe('questions to the views', () => {
  /** One thread for them all: to load its modules takes half a second. */
  let reads: ViewReads;
  beforeAll(() => {
    reads = new ViewReads({ file }, 60_000, ANSWERING);
  });
  afterAll(() => reads.close());

  it.each<[keyof ReadModels, string, ...unknown[]]>([
    ['ledger', 'claims', { limit: 1000, total: true }],
    ['ledger', 'claimRows', { limit: 7, finding: 'probing' }],
    ['ledger', 'claim', CLAIM],
    ['ledger', 'claim', 'none'],
    ['ledger', 'waiting'],
    ['ledger', 'keys', { limit: 1 }],
    ['findings', 'list', { limit: 1000, total: true }],
    ['telemetry', 'calls', { limit: 1000 }],
    ['telemetry', 'window', WINDOW, new Date(0)],
    ['telemetry', 'lastUses', ['mvs_lab-a']],
    ['telemetry', 'driftGauges', [CLAIM]],
    ['evidence', 'heldByAll', MODEL],
    ['evidence', 'scored', 'lab-a', MODEL, 1_000_000, 10],
    ['lots', 'counts', WINDOW.from, WINDOW.to],
  ])('are answered as on the event loop: %s, %s', async (model, method, ...args) => {
    const here = readModels(file)[model] as unknown as Record<string, (...args: unknown[]) => unknown>;
    const expected = here[method](...args);
    const any = reads as unknown as {
      ask(...asked: unknown[]): Promise<unknown>;
      encoded(codings: Coding[], ...asked: unknown[]): Promise<{ bytes: Uint8Array; coding?: Coding }>;
    };
    expect(await any.ask(model, method, ...args)).toEqual(expected);
    if (expected === undefined) return;
    const text = JSON.stringify(expected);
    for (const [coding, read] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { bytes, coding: used } = await any.encoded([coding], model, method, ...args);
      expect(used).toBe(text.length < 1400 ? undefined : coding);
      expect(String(used ? read(bytes) : Buffer.from(bytes))).toBe(text);
    }
    expect(String(Buffer.from((await any.encoded([], model, method, ...args)).bytes))).toBe(text);
  });

  it('throw what is an answer, by its class', async () => {
    await expect(reads.ask('ledger', 'claims', { limit: 1, cursor: 'none' })).rejects.toBeInstanceOf(BadCursor);
    const long = { from: '1990-01-01T00:00:00Z', to: WINDOW.to, bucket: 'hour' as const };
    await expect(reads.ask('telemetry', 'window', long, new Date(0))).rejects.toBeInstanceOf(TooManyBuckets);
  });

  it('see what was folded and not yet committed', async () => {
    const more = new TestLog();
    more.claim({ rough: { stone: 'r' }, polish: { stone: 'p' } });
    const ledger = viewOf(PROJECTIONS.find(({ name }) => name === 'ledger')!, more.events);
    const reads = asked({ file: (name) => (name === 'ledger' ? ledger : file(name)) });
    expect((await reads.ask('ledger', 'claims', { limit: 9 })).items).toHaveLength(1);
    const known = more.events.length;
    more.claim({ rough: { stone: 'r2' }, polish: { stone: 'p2' } });
    for (const event of more.events.slice(known)) ledger.take(event);
    expect((await reads.ask('ledger', 'claims', { limit: 9 })).items).toHaveLength(2);
  });

  it('keep no further file open', async () => {
    const first = await reads.ask('ledger', 'claims', { limit: 1 });
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let n = 0; n < 300; n++) expect(await reads.ask('ledger', 'claims', { limit: 1 })).toEqual(first);
    expect(open() - before).toBeLessThan(30);
  });
});

describe('the thread of the views', () => {
  it('is begun again after it died: what was asked of it is answered with 503, what comes then as ever', async () => {
    const reads = asked();
    const expected = await reads.ask('ledger', 'waiting');
    const inHand = [1, 2, 3].map(() => reads.ask('ledger', 'claims', { limit: 1000 }).catch((error: Error) => error));
    await Promise.resolve();
    await crash(reads);
    const ended = await Promise.all(inHand);
    const lost = ended.filter((one) => one instanceof Error);
    expect(lost.length).toBeGreaterThan(0);
    for (const error of lost) {
      expect(error).toBeInstanceOf(ViewsUnread);
      const { status, code, headers } = answerTo(error);
      expect([status, code, headers]).toEqual([503, 'busy', { 'retry-after': '2' }]);
    }
    expect(await reads.ask('ledger', 'waiting')).toEqual(expected);
  });

  it('asks the new file where the old one went away at the end of a rebuild', async () => {
    const old = viewOf(PROJECTIONS.find(({ name }) => name === 'ledger')!, log.events.slice(0, 10));
    const answering = [old.committed(), file('ledger').committed()];
    old.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(answering[0] + suffix, { force: true });
    const ledger = { committed: () => answering.shift()! } as ViewFile;
    const reads = asked({ file: (name) => (name === 'ledger' ? ledger : file(name)) });
    expect(await reads.ask('ledger', 'claim', CLAIM)).toEqual(await asked().ask('ledger', 'claim', CLAIM));
    expect(answering).toEqual([]);
  });

  it('ends with the service: questions in hand are refused, as are later ones', async () => {
    const reads = asked();
    await reads.ask('ledger', 'waiting');
    const inHand = reads.ask('ledger', 'claims', { limit: 1000 });
    const refused = expect(inHand).rejects.toBeInstanceOf(ViewsUnread);
    await reads.close();
    await refused;
    await expect(reads.ask('ledger', 'waiting')).rejects.toBeInstanceOf(ViewsUnread);
  });
});
