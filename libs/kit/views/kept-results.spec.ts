import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptResults } from './kept-results.js';

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'mvs-results-')), 'results');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

const results = (secret = 's'.repeat(32), log: string | undefined = 'one') =>
  new KeptResults(directory, { given: secret === '' ? [] : [secret], log });
const OF = ['proposal', 'lab-a', 80];

it('are there after a start, and of exactly what they were kept for', async () => {
  expect(await results().read(OF)).toBeUndefined();
  await results().write(OF, { threshold: 0.5 });
  expect(await results().read(OF)).toEqual({ threshold: 0.5 });
  expect(await results().read(['proposal', 'lab-a', 81])).toBeUndefined();
  const [name] = readdirSync(directory);
  expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
});

it('count for nothing from another hand, of another log, or without a secret', async () => {
  await results().write(OF, { threshold: 0.5 });
  expect(await results('t'.repeat(32)).read(OF)).toBeUndefined();
  expect(await results(undefined, 'another').read(OF)).toBeUndefined();
  expect(await results('').read(OF)).toBeUndefined();
  const [file] = readdirSync(directory).map((name) => join(directory, name));
  const text = readFileSync(file, 'utf8');
  for (const forged of [text.replace('0.5', '0.4'), text.replace(/^./, 'x'), text.split('\n')[1], '', '\n{}']) {
    writeFileSync(file, forged);
    expect(await results().read(OF)).toBeUndefined();
  }
  await results('').write(['nothing'], {});
  expect(readdirSync(directory)).toHaveLength(1);
});

it('are bounded: the oldest go', async () => {
  const kept = results();
  for (let n = 0; n < 503; n++) await kept.write(['n', n], { n });
  expect(readdirSync(directory)).toHaveLength(500);
  expect(await kept.read(['n', 502])).toEqual({ n: 502 });
});
