import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptResults, type ResultOf } from './kept-results.js';

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'mvs-results-')), 'results');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

const results = (secret = 's'.repeat(32), log: string | undefined = 'one') =>
  new KeptResults(directory, { given: secret === '' ? [] : [secret], log });
const OF = ['proposal', 'lab-a', 80];

/** True where it was computed. */
const isComputed = async (kept: KeptResults, of: ResultOf = OF) => {
  let computed = false;
  const result = await kept.get(of, async () => {
    computed = true;
    return { threshold: 0.5 };
  });
  expect(result).toEqual({ threshold: 0.5 });
  return computed;
};

it('are there after a start, and of exactly what they were kept for', async () => {
  expect(await isComputed(results())).toBe(true);
  expect(await isComputed(results())).toBe(false);
  expect(await isComputed(results(), ['proposal', 'lab-a', 81])).toBe(true);
  const [name] = readdirSync(directory);
  expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
});

it('count for nothing from another hand, of another log, or without a secret', async () => {
  await isComputed(results());
  for (const other of [results('t'.repeat(32)), results(undefined, 'another'), results(''), results('')])
    expect(await isComputed(other)).toBe(true);
  await isComputed(results());
  const [file] = readdirSync(directory).map((name) => join(directory, name));
  const text = readFileSync(file, 'utf8');
  for (const forged of [text.replace('0.5', '0.4'), text.replace(/^./, 'x'), text.split('\n')[1], '', '\n{}']) {
    writeFileSync(file, forged);
    expect(await isComputed(results())).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  expect(readdirSync(directory)).toHaveLength(1);
});

it('are bounded: the oldest go', async () => {
  const kept = results();
  for (let n = 0; n < 503; n++) await isComputed(kept, ['n', n]);
  expect(readdirSync(directory)).toHaveLength(500);
  expect(await isComputed(kept, ['n', 502])).toBe(false);
});
