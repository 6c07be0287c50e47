/** Bundles of populations that had scorers of their own: every verifier recomputes them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCORER_METHODS } from '#science/calibration/scorer/method';
import { eventsOf, type Files, filesOfZip, oldBundle } from './test/forge.js';
import { pathOf, SCORED_FORMAT } from './test/forge-scorer.js';
import { ALL, bothVerifiers, exported } from './test/scored-bundle.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const sources = join(root, relative(join(root, 'dist'), here), 'test');
const verdicts = bothVerifiers();
let place: string;
/** With one scorer in force; with two, both withdrawn; with one of few claims; with one of a mean alone, as none is made any more. */
let sound: Files;
const zips = { one: '', two: '', early: '', means: '' };
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'mvs-scored-'));
  zips.one = await exported(place, 'one', { encoders: ['one', 'two'], first: 78 });
  zips.two = await exported(place, 'two', { encoders: ['one'], first: 36, second: 76 });
  zips.early = await exported(place, 'early', { encoders: ['one', 'two'], first: 12 });
  zips.means = join(place, 'means.zip');
  oldBundle(sources, zips.means, 'mvs-audit-3-means');
  sound = await filesOfZip(zips.one);
}, 900_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('a bundle of a population with a scorer', () => {
  it('is found sound by all verifiers, with a scorer in force, superseded or withdrawn', async () => {
    for (const file of Object.values(zips)) {
      expect(await verdicts(file)).toEqual({ codes: ALL(0), says: ALL(0).map(() => 'OK\n') });
    }
    const decisionsOf = (files: Files) => eventsOf(files).filter(({ stream }) => stream.startsWith('calibration-'));
    const decided = decisionsOf(await filesOfZip(zips.two));
    const kinds = decided.map(({ type, data }) => [type, data.proposal?.curve ?? data.scorer?.length]);
    expect(kinds).toEqual([
      ['ScorerRequested', 'shipped'],
      ['ScorerApproved', 'shipped'],
      ['RungApproved', 64],
      ['ScorerWithdrawn', undefined],
      ['RungApproved', undefined],
      ['ScorerRequested', 'own'],
      ['ScorerApproved', 'own'],
      ['RungApproved', 64],
      ['ScorerWithdrawn', undefined],
    ]);
    const few = [zips.means, zips.early].map(async (file) => decisionsOf(await filesOfZip(file)));
    const methods = [...decided, ...decisionsOf(sound), ...(await Promise.all(few)).flat()].flatMap(({ type, data }) =>
      type === 'ScorerApproved' ? [data.proposal.method] : [],
    );
    expect(methods.sort()).toEqual(SCORER_METHODS);
  }, 900_000);

  it('holds each vector once: the bank is that of the evidence', async () => {
    const floats = [...sound]
      .filter(([path]) => path.endsWith('.f32'))
      .reduce((sum, [, { length }]) => sum + length, 0);
    expect(JSON.parse(sound.get('manifest.json')!.toString()).format).toBe(SCORED_FORMAT);
    const header = JSON.parse(sound.get(pathOf(sound, /scorer-[0-9a-f]+\.json$/))!.toString());
    expect(header.groups.length).toBe(84);
    expect(Math.max(...header.groups)).toBe(77);
    const scorers = [sound, await filesOfZip(zips.two)].flatMap((files) =>
      [...files]
        .filter(([path]) => /scorer-[0-9a-f]+\.json$/.test(path))
        .map(([, bytes]) => JSON.parse(bytes.toString())),
    );
    // Some claims are trimmed.
    expect(scorers.flatMap(({ weights }) => weights)).toContain(0);
    const rows = header.directions.flat().reduce((sum: number, count: number) => sum + count + 2, 0);
    expect(floats).toBe(sound.get(pathOf(sound, /vectors\.f32$/))!.length + 1024 * rows);
  });

  it('tells in its report what was approved, by whom, what it brought and how long it decided, with a picture', async () => {
    const report = sound.get('report.html')!.toString();
    const { rungs, groups, claims, trimmed } = eventsOf(sound).find(({ type }) => type === 'ScorerApproved')!.data
      .proposal;
    expect(report.match(/<svg/g)).toHaveLength(1);
    expect(report).toContain(`${claims} counted claims; the newest of them make ${groups} groups of distinct stones`);
    expect(report).toContain(`${trimmed} claims that look wrong`);
    expect(report).toMatch(/by ben, as anna had asked, \S+: why/);
    expect(report).toContain('It is in force');
    expect(rungs).toHaveLength(10);
    for (const { reject_target, ...shares } of rungs) {
      const cells = ['confirmed_raw', 'confirmed_mapped', 'wrong_raw', 'wrong_mapped'].map(
        (column) => `<td>${(100 * shares[column]).toFixed(1)}%</td>`,
      );
      expect(report).toContain(`<td>${reject_target.toFixed(2)}</td>${cells.join('')}`);
    }
    const ended = (await filesOfZip(zips.two)).get('report.html')!.toString();
    expect(ended.match(/It ended \S+: withdrawn by anna[.]/g)).toHaveLength(2);
  });
});
