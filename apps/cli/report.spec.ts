import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const MAIN = join(dirname(fileURLToPath(import.meta.url)), 'main.js');
const mvs = (...args: string[]) =>
  new Promise<{ code: number; error: string }>((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, _, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), error: stderr }),
    );
  });

describe('mvs report', () => {
  let folder: string;
  const page = () => readFile(join(folder, 'accuracy.md'), 'utf8');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-report-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  // Another seed than the report's own: its stones are touched by the report alone.
  it('measures the parts asked for, and writes the page with a picture for each link', async () => {
    const args = ['report', '--quick', '--seed', '8', '--out', folder];
    expect(await mvs(...args, '--part', 'ladders', 'real', '--data', folder)).toEqual({ code: 0, error: '' });
    const text = await page();
    expect(text.split('\n')[0]).toMatch(/^\*\*Everything on this page is simulated\*\*/);
    const links = [...text.matchAll(/\]\(accuracy\/(.+?[.]svg)\)/g)].map(([, name]) => name);
    expect(links.sort()).toEqual((await readdir(join(folder, 'accuracy'))).filter((name) => name.endsWith('.svg')));
    expect(links).toContain('reliability.svg');
    for (const name of links)
      expect(await readFile(join(folder, 'accuracy', name), 'utf8')).toMatch(/^<svg[^>]*>.*<\/svg>$/s);

    const { parts } = JSON.parse(await readFile(join(folder, 'accuracy', 'figures.json'), 'utf8'));
    for (const { rungs, stones, genuine } of parts.ladders) {
      expect(genuine.reduce((sum: number, count: number) => sum + count, 0)).toBe(stones);
      // A stricter rung confirms no more, and its threshold is no lower.
      for (let i = 1; i < rungs.length; i++) {
        expect(rungs[i].confirmed.own.share).toBeLessThanOrEqual(rungs[i - 1].confirmed.own.share);
        expect(rungs[i].threshold.own).toBeGreaterThanOrEqual(rungs[i - 1].threshold.own);
        expect(rungs[i].wrongAccepted.share).toBeLessThanOrEqual(rungs[i - 1].wrongAccepted.share);
      }
    }
  }, 120_000);

  it('keeps the other parts, and writes the same page again without measuring', async () => {
    const before = await page();
    expect((await mvs('report', '--pages', '--seed', '8', '--out', folder)).code).toBe(0);
    expect(await page()).toBe(before);
    expect(before).toContain('| .98 |');
  }, 60_000);

  it('refuses a part that there is not', async () => {
    expect((await mvs('report', '--part', 'nonsense', '--out', folder)).code).toBe(3);
  });
});
