import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPairs } from './pairs.js';

describe('findPairs', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mvs-pairs-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const put = async (...paths: string[]) => {
    for (const path of paths) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), '');
    }
  };

  it('reads both layouts, in natural order, and tells the rest', async () => {
    await put('S10_rough_1.csv', 'S10_polish_1.csv', 'S2_rough_10.dpt', 'S2_rough_2.dpt', 'S2_polish_1.0');
    await put(
      'Q.1/rough/a.csv',
      'Q.1/rough/.DS_Store',
      'S4.jpg',
      'Q.1/polish/b.csv',
      'README.txt',
      'notes/x.csv',
      'S3-1.csv',
    );
    await put('A_b_rough_1.CSV', 'A_b_POLISH_1.CSV');
    const { pairs, incomplete, unused } = await findPairs(folder);
    expect(pairs.map((pair) => pair.stone)).toEqual(['A_b', 'Q.1', 'S2', 'S10']);
    expect(pairs[2].rough).toEqual([join(folder, 'S2_rough_2.dpt'), join(folder, 'S2_rough_10.dpt')]);
    expect(pairs[1]).toEqual({
      stone: 'Q.1',
      rough: [join(folder, 'Q.1/rough/a.csv')],
      polish: [join(folder, 'Q.1/polish/b.csv')],
    });
    expect(incomplete).toEqual([]);
    const told = unused.map(({ file, reason }) => `${file.slice(folder.length + 1)}: ${reason}`).sort();
    expect(told).toEqual([
      'S3-1.csv: its name does not say of which stone and side it is',
      'S4.jpg: a .jpg file holds no scan',
      'notes: it holds no folder rough or polish',
    ]);
  });

  it('names stones of which a side is missing', async () => {
    await put('S1_rough_1.csv', 'S2/polish/1.csv');
    expect(await findPairs(folder)).toEqual({ pairs: [], incomplete: ['S1', 'S2'], unused: [] });
  });
});
