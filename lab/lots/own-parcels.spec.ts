import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { lotFiles } from './lot-files.js';
import { at, read, write } from './test/parcels.js';

describe('a folder of own parcels', () => {
  beforeAll(() => write('few', 'shaken', 5));

  it('has a folder for each session type', async () => {
    mkdirSync(at('heap', 'heap'), { recursive: true });
    await expect(read('heap')).rejects.toThrow(/heap is no session type: .*shaken, table-up, culet-focus/);
    mkdirSync(at('empty'));
    await expect(read('empty')).rejects.toThrow(/holds no parcels: they are folders <session type>/);
    await expect(read('nowhere')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is refused with too few parcels of a session type', async () => {
    await expect(read('few')).rejects.toThrow(/shaken holds 5 parcels, and bars take 6 .*: add parcels, or leave /);
  });

  it('is refused with more parcels than a training takes', async () => {
    for (let parcel = 0; parcel <= 100; parcel++) mkdirSync(at('many', 'shaken', `p${parcel}`), { recursive: true });
    await expect(read('many')).rejects.toThrow(/many holds 101 parcels, and a training takes 100: keep the latest/);
  });

  it('is refused with the file, stone or visit that cannot be used', async () => {
    write('wrong', 'shaken', 6);
    const parcel = ['wrong', 'shaken', 'test-31-0'];
    renameSync(at(...parcel, 'return'), at(...parcel, 'later'));
    await expect(read('wrong')).rejects.toThrow(/test-31-0\/return is missing: a parcel is scanned on two visits/);
    renameSync(at(...parcel, 'later'), at(...parcel, 'return'));
    writeFileSync(at(...parcel, 'return', 'M03_2.csv'), 'no scan');
    await expect(read('wrong')).rejects.toThrow(/test-31-0\/return: .*M03_2.csv/);
    rmSync(at(...parcel, 'return', 'M03_2.csv'));
    await expect(read('wrong')).rejects.toThrow(/every stone needs at least 3 scans.*M03 has 2/);
    for (const k of [1, 3]) rmSync(at(...parcel, 'return', `M03_${k}.csv`));
    await expect(read('wrong')).rejects.toThrow(/there are 11 .*a parcel holds 12 to 200/);
    rmSync(at(...parcel, 'return'), { recursive: true });
    mkdirSync(at(...parcel, 'return'));
    await expect(read('wrong')).rejects.toThrow(/return: .*holds no scan files/);
  });

  it('is refused where the enrolment came back as the return, or nothing is named alike', async () => {
    const rough = { family: 'test' as const, seed: 31, parcel: 0, stones: 12, session: 'shaken' as const, scans: 3 };
    const { files } = lotFiles({ ...rough, substitution: 0, twins: false, named: true });
    const put = (folder: string, rename: (file: string) => string) => {
      write(folder, 'shaken', 6);
      rmSync(at(folder, 'shaken', 'test-31-0', 'return'), { recursive: true });
      mkdirSync(at(folder, 'shaken', 'test-31-0', 'return'));
      for (const { name, data } of files)
        if (name.startsWith('enrol/')) writeFileSync(at(folder, 'shaken', 'test-31-0', rename(name)), data);
    };
    put('copied', (file) => file.replace('enrol/', 'return/'));
    await expect(read('copied')).rejects.toThrow(/a scan of the enrolment was sent back/);
    put('renamed', (file) => file.replace('enrol/M', 'return/X').replace('_1', '_4'));
    await expect(read('renamed')).rejects.toThrow(
      /test-31-0.*(enrolment was sent back|0 stones that were scanned on both)/,
    );
  });

  it('leaves out a stone that one visit lacks, and says so', async () => {
    write('alone', 'shaken', 6, 13);
    for (const k of [1, 2, 3]) rmSync(at('alone', 'shaken', 'test-31-2', 'return', `M13_${k}.csv`));
    const told: string[] = [];
    const parcels = await read('alone', told);
    expect(parcels.map(({ enrol: stones }) => stones.length)).toEqual([13, 13, 12, 13, 13, 13]);
    expect(told).toEqual([expect.stringMatching(/test-31-2\/M13 is left out: one of its visits is missing/)]);
  });
});
