import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedModel } from '#science/matching/shipped';
import { mvs as runMvs } from '../../apps/cli/test/mvs.js';
import type { FamilyFigures, OwnPairsFigures, Sensitivity } from '../report/figures.js';

const mvs = (...args: string[]) => runMvs(args);

describe('mvs report', () => {
  let folder: string;
  const page = (name = 'accuracy') => readFile(join(folder, `${name}.md`), 'utf8');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-report-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Holds a page to be simulated and to show every picture there is. */
  const pictured = async (chapter: string) => {
    const text = await page(chapter);
    expect(text.split('\n')[0]).toMatch(/^\*\*Everything on this page is simulated\b/);
    const links = [...text.matchAll(/\]\([a-z]+\/(.+?[.]svg)\)/g)].map(([, name]) => name);
    expect(links.sort()).toEqual((await readdir(join(folder, chapter))).filter((name) => name.endsWith('.svg')));
    for (const name of links)
      expect(await readFile(join(folder, chapter, name), 'utf8')).toMatch(/^<svg[^>]*>.*<\/svg>$/s);
    return links;
  };

  // Another seed than the report's own: its stones are touched by the report alone.
  it('measures the parts asked for, and writes the page with a picture for each link', async () => {
    const args = ['report', '--quick', '--seed', '8', '--out', folder];
    const { code, error } = await mvs(...args, '--part', 'ladders', 'real', '--data', folder);
    // A run that takes long says how far it is; nothing else is said.
    expect([code, error]).toEqual([0, expect.stringMatching(/^(mvs: measuring \d+\/\d+, \d+ left\n)*$/)]);
    expect(await pictured('accuracy')).toContain('reliability.svg');

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
  });

  it('opens with the second family, as the worst of its populations has it', async () => {
    const args = ['report', '--quick', '--seed', '8', '--out', folder, '--data', folder];
    expect((await mvs(...args, '--part', 'families', 'pairs', 'sensitivity')).code).toBe(0);
    const text = await page();
    expect(text.indexOf('another family of physics')).toBeLessThan(text.indexOf('## Goals'));
    const { parts } = JSON.parse(await readFile(join(folder, 'accuracy', 'figures.json'), 'utf8'));
    const live = parts.families.filter(({ model }: FamilyFigures) => model === shippedModel().digest);
    const lowest = Math.min(...live.map(({ rungs }: FamilyFigures) => rungs[0].own.share));
    expect(text).toMatch(new RegExp(`^[|] second-\\w+ [|] ${(100 * lowest).toFixed(1)}% `, 'm'));
    const [, short] = /^## In short\n(.*?)^## /ms.exec(text)!;
    expect(short).toContain(`${(100 * lowest).toFixed(1)}% (`);
    expect(parts.pairs.map(({ pairs }: OwnPairsFigures) => pairs)).toEqual([0, 8, 0, 8, 0, 8]);
    // An offset is no part of a derivative; a polish that is another stone's in its one-phonon bands is another claim.
    const [nothing, ...changes] = parts.sensitivity.changes;
    const offset = changes.find(({ change }: Sensitivity) => change.startsWith('offset'));
    expect(Math.abs(offset.score - nothing.score)).toBeLessThan(0.01);
    for (const { own } of parts.sensitivity.regions) expect(own.score).toBeLessThan(nothing.score + 0.01);
  });

  it('keeps the other parts, and writes the same page again without measuring', async () => {
    const before = await page();
    expect((await mvs('report', '--pages', '--seed', '8', '--out', folder)).code).toBe(0);
    expect(await page()).toBe(before);
    expect(before).toContain('| 0.98 |');
  });

  it('writes no page from figures of another model, but says whose they are and what measures them', async () => {
    const file = join(folder, 'accuracy', 'figures.json');
    const [text, before] = [await readFile(file, 'utf8'), await page()];
    await writeFile(file, text.replace(/"model":"[0-9a-f]{16}/, `"model":"${'0'.repeat(16)}`));
    const { code, error } = await mvs('report', '--pages', '--seed', '8', '--out', folder);
    expect([code, await page()]).toEqual([3, before]);
    expect(error).toMatch(/are of model 0{16}, .+, not of model [0-9a-f]{16}, .+; mvs report accuracy --seed 8 --out /);
    await writeFile(file, text);
    const none = await mvs('report', 'evidence', '--pages', '--out', folder);
    expect(none.code).toBe(3);
    expect(none.error).toContain('mvs report evidence --out ');
  });

  it("judges a population's own scorer by its other stones, and goals where they are missed", async () => {
    const args = ['report', 'evidence', '--quick', '--seed', '9', '--out', folder, '--population', 'second-air'];
    const { code, out } = await mvs(...args, '--stones', '110', '--draws', '1', '--part', 'scorers', '--json');
    expect(code).toBe(0);
    const [{ population, draws }] = JSON.parse(out).parts.scorers;
    expect([population, draws.map(({ claims }: { claims: number }) => claims)]).toEqual(['second-air', [0, 30, 50]]);
    const [raw, , fifty] = draws;
    expect(fifty.groups).toBeGreaterThanOrEqual(30);
    expect(fifty.confirmed[0]).toBeGreaterThan(raw.confirmed[0]);
    expect(fifty.carried).toBeLessThan(raw.carried);
    const text = await page('evidence');
    expect(text).toContain(`| ${(100 * fifty.confirmed[0]).toFixed(1)}% (`);
    expect(text).toMatch(
      /wrong at carried 0[.]98 from 50 claims, any draw: 2[.]5% [|] [\d.]+% [|] (yes|[*]{2}no[*]{2}) [|]/,
    );
  });

  it("holds a population's own thresholds, and poisoned ones, against its other stones", async () => {
    const { code, out } = await mvs(
      ...['report', 'evidence', '--quick', '--seed', '8', '--json', '--out', folder],
      ...['--part', 'proposals', 'poisoning'],
    );
    expect(code).toBe(0);
    expect(await pictured('evidence')).toEqual(['accept.svg', 'poisoning.svg', 'reached.svg']);
    const { proposals, poisoning } = JSON.parse(out).parts;

    expect(proposals.map(({ population }: { population: string }) => population)).toEqual(['client-b', 'client-a']);
    for (const { rungs, accept } of proposals) {
      expect(rungs.map(({ claims }: { claims: number }) => claims)).toEqual([40, 75, 150]);
      for (const { rejectTarget, after } of rungs) {
        const label = 1 - rejectTarget;
        // So few stones leave a point away from the label.
        expect(Math.abs(after.mean - label)).toBeLessThan(0.4 * label + 0.01);
        expect(after.range[0]).toBeLessThanOrEqual(after.mean);
      }
      for (const { wrong, covered, repetitions, none } of accept) {
        const withheld = Object.values<number>(none).reduce((sum, count) => sum + count, 0);
        expect(covered.of + withheld).toBe(repetitions);
        if (wrong.share === 0) expect(covered.of).toBeGreaterThan(0);
      }
    }

    const of = (kind: string, share: number) =>
      poisoning.kinds.find((one: { kind: string; share: number }) => one.kind === kind && one.share === share);
    const reached = (kind: string, share: number) => of(kind, share).reached['0.98'].mean;
    // Named stones weigh one however often they come, and so does one polish.
    expect(of('scanned again, named', 0.2)).toMatchObject({ roughs: 32, polishes: 32 });
    expect(of('one polish', 0.2)).toMatchObject({
      roughs: 40,
      polishes: 33,
      breaches: 1,
      found: { poison: { share: 1 } },
    });
    // Genuine pairs among the wrong ones raise a threshold; leaving the best pairs out lowers it, and is found.
    expect(reached('exchanged', 0.8)).toBeLessThan(reached('none', 0));
    expect(reached('best pairs', 0.8)).toBeGreaterThan(3 * reached('none', 0));
    expect(of('best pairs', 0.8).found.poison.share).toBe(1);
    expect(poisoning.invented.made).toBe(40);

    const before = await page('evidence');
    expect((await mvs('report', 'evidence', '--pages', '--seed', '8', '--out', folder)).code).toBe(0);
    expect(await page('evidence')).toBe(before);
  });

  it('refuses a part that there is not', async () => {
    expect((await mvs('report', '--part', 'nonsense', '--out', folder)).code).toBe(3);
    expect((await mvs('report', 'evidence', '--part', 'ladders', '--out', folder)).code).toBe(3);
  });
});
