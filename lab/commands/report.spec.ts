import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedModel } from '#science/matching/shipped';
import { mvs as runMvs } from '../../apps/cli/test/mvs.js';
import type { Figures } from '../report/figures.js';
import { SECOND_FAMILY } from '../second-family/populations.js';

const mvs = (...args: string[]) => runMvs(args);

describe('mvs report', () => {
  let folder: string;
  const tables = () => readFile(join(folder, 'tables.md'), 'utf8');
  const figures = async (): Promise<Figures> => JSON.parse(await readFile(join(folder, 'figures.json'), 'utf8'));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-report-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  // Another seed than the report's own: its stones are touched by the report alone.
  it('measures the parts asked for, and shows them as tables', async () => {
    const args = ['report', '--quick', '--seed', '8', '--out', folder];
    const { code, error } = await mvs(...args, '--part', 'ladders', 'real', '--data', folder);
    // A run that takes long says how far it is; nothing else is said.
    expect([code, error]).toEqual([0, expect.stringMatching(/^(mvs: measuring \d+\/\d+, \d+ left\n)*$/)]);
    const { parts } = await figures();
    for (const { rungs } of parts.ladders!) {
      // A stricter rung confirms no more, and its threshold is no lower.
      for (let i = 1; i < rungs.length; i++) {
        expect(rungs[i].confirmed.own.share).toBeLessThanOrEqual(rungs[i - 1].confirmed.own.share);
        expect(rungs[i].threshold.own).toBeGreaterThanOrEqual(rungs[i - 1].threshold.own);
        expect(rungs[i].wrongAccepted.share).toBeLessThanOrEqual(rungs[i - 1].wrongAccepted.share);
      }
    }
    const [calibration] = parts.ladders!;
    const { confirmed } = calibration.rungs.find(({ rejectTarget }) => rejectTarget === 0.98)!;
    const [row] = (await tables()).split('\n').filter((line) => /^[|] calibration .* 0[.]98 /.test(line));
    expect(row).toContain(`| ${(100 * confirmed.own.share).toFixed(1)}% (`);
  });

  it('keeps the other parts, and measures the second family', async () => {
    const args = ['report', '--quick', '--seed', '8', '--out', folder];
    expect((await mvs(...args, '--part', 'families')).code).toBe(0);
    const { parts } = await figures();
    expect(parts.ladders).toHaveLength(6);
    expect(parts.families!.map(({ population }) => population)).toEqual(SECOND_FAMILY);
  });

  it('keeps no figures of another model', async () => {
    const file = join(folder, 'figures.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"model":"[0-9a-f]{16}/, `"model":"${'0'.repeat(16)}`));
    expect((await mvs('report', '--quick', '--seed', '8', '--out', folder, '--part', 'coverage')).code).toBe(0);
    const { model, parts } = await figures();
    expect([model, Object.keys(parts)]).toEqual([shippedModel().digest, ['coverage']]);
  });

  it('refuses a part that there is not, and public scans without their folder', async () => {
    expect((await mvs('report', '--part', 'nonsense', '--out', folder)).code).toBe(3);
    expect(await mvs('report', '--part', 'real', '--out', folder)).toMatchObject({
      code: 3,
      error: expect.stringContaining('name their folder with --data'),
    });
  });
});
