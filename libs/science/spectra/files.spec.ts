import fc from 'fast-check';
import { limits } from '#config/limits';
import { opusScan } from '../../../lab/simulator/opus-writer.js';
import { inspectScanFile, readScanFiles } from './files.js';
import { readJsonClaim } from './json.js';
import { Refusal } from './refusal.js';
import { prepareSide } from './scan-set.js';
import { type ZipEntry, zip } from './test/zip.js';
import { budgetOf, type NamedFile } from './zip.js';

const POINTS = 700;
const xs = Array.from({ length: POINTS }, (_, i) => 450 + 8 * i);
const curve = (phase: number) => Float32Array.from({ length: POINTS }, (_, i) => ((i * 7 + phase) % 13) / 16);
const text = (phase: number) => xs.map((x, i) => `${x},${curve(phase)[i]}`).join('\n');
const bytes = (content: string | Uint8Array) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;
const file = (name: string, content: string | Uint8Array): NamedFile => ({ name, data: bytes(content) });
const opus = (phase: number) => opusScan(curve(phase), xs[0], xs[POINTS - 1]);

const dpt = (name: string, phase = 0): ZipEntry => ({ name, content: text(phase) });
const pool = (...files: NamedFile[]) => readScanFiles('rough', files);
const names = async (...entries: ZipEntry[]) =>
  (await pool(file('lot.zip', zip(entries)))).scans.map((scan) => scan.file);
async function expectRefusal(files: NamedFile[], ...words: string[]) {
  const caught = await readScanFiles('rough', files).then(
    () => undefined,
    (error: Refusal) => error,
  );
  for (const word of ['rough: ', 'no parseable spectra', '; ', ...words]) expect(caught?.detail).toContain(word);
  expect(caught).toMatchObject({ kind: 'unparseable', side: 'rough' });
}
const expectZipRefusal = (entries: ZipEntry[], ...words: string[]) =>
  expectRefusal([file('lot.zip', zip(entries))], 'lot.zip', ...words);

describe('the files of a side', () => {
  it('are pooled, whatever their formats, with the references in their names', async () => {
    const set = await pool(
      file('AB12.1_rough_1.DPT', text(0)),
      file('AB12.1.0', opus(3)),
      file('sub/ZZ9 two.zip', zip([dpt('x/CD3-1.csv', 5), dpt('AB12.1_rough_9.txt', 6)])),
    );
    expect(set.side).toBe('rough');
    expect(set.references).toEqual(['AB12.1', 'CD3-1']);
    expect(set.scans.map((scan) => scan.absorbance.length)).toEqual([POINTS, POINTS, POINTS, POINTS]);
    expect(new Set(set.scans.map((scan) => scan.wavenumbers)).size).toBe(1);
    expect(prepareSide(set)).toMatchObject({ count: 4, duplicates: 0, shortCoverage: false });
  });

  it('give the digest and the spectra of the same numbers in JSON, in any order', async () => {
    const spectra = [0, 3].map((phase) => Array.from(curve(phase)));
    const body = JSON.stringify({ rough: { wavenumbers: xs, spectra: spectra.reverse() } });
    const json = prepareSide(readJsonClaim(bytes(body)).side('rough'));
    const side = prepareSide(await pool(file('a.0', opus(0)), file('b.csv', text(3))));
    expect(side.digest).toBe(json.digest);
    expect(Array.from(side.spectra.subarray(0, 671))).toEqual(Array.from(json.spectra.subarray(671)));
  });

  it('are refused by the first that cannot be read, never dropped', async () => {
    const good = file('good.dpt', text(0));
    await expectRefusal([good, file('bad.csv', 'X,Y\n')], 'rough: bad.csv: no parseable spectra: it holds no numeric');
    await expectRefusal([good, file('bad.0', opus(0).subarray(0, 900))], 'bad.0', 'truncated');
    await expectRefusal([good, file('lot.zip', zip([dpt('a.dpt'), { name: 'b/c.0', content: 'x' }]))], 'lot.zip/b/c.0');
    await expectRefusal([good, file('scan.asp', '1\n2\n')], 'scan.asp', '.asp is not a supported extension');
    await expectRefusal([file('empty.dpt', '')], 'empty.dpt', 'it is empty');
    await expectRefusal([file('a\u0000\u202e\n.dpt', 'x')], 'a???.dpt');
    const nan = readScanFiles('polish', [file('n.csv', `${text(0)}\n9000,NaN`)]);
    await expect(nan).rejects.toMatchObject({
      kind: 'non_finite',
      detail: expect.stringContaining('polish: n.csv: non-'),
    });
  });

  it('are one to 256 scans', async () => {
    await expectRefusal([], 'there is no scan file');
    const few = { ...limits, fileScans: 3 };
    const files = (n: number) => Array.from({ length: n }, (_, i) => file(`${i}.dpt`, text(i)));
    expect((await readScanFiles('rough', files(3), few)).scans).toHaveLength(3);
    for (const many of [files(4), [file('a.zip', zip([0, 1, 2, 3].map((i) => dpt(`${i}.dpt`, i))))]]) {
      await expect(readScanFiles('rough', many, few)).rejects.toMatchObject({
        detail: expect.stringContaining('rough: no parseable spectra: there are more than 3 scans'),
      });
    }
  });
});

it('both sides of a request share the bytes that zips unpack to and the points of scans', async () => {
  const scan = text(0);
  const small = { ...limits, unpackedBytes: 2.5 * scan.length, requestPoints: 3 * POINTS };
  const lot = (n: number) => [file('lot.zip', zip(Array.from({ length: n }, (_, i) => dpt(`${i}.csv`, i))))];
  const budget = budgetOf(small);
  expect((await readScanFiles('rough', lot(2), small, budget)).scans).toHaveLength(2);
  await expect(readScanFiles('polish', lot(1), small, budget)).rejects.toThrow('polish: lot.zip: no parseable');
  await expect(
    readScanFiles(
      'rough',
      [0, 1, 2, 3].map((i) => file(`${i}.csv`, text(i))),
      small,
    ),
  ).rejects.toThrow(`more than ${3 * POINTS} points`);
});

describe('a zip', () => {
  it('is searched in its folders; companions of macOS and what is no scan are passed over', async () => {
    const entries = [
      { name: 'a/', content: '', store: true },
      dpt('a/b/1.DPT'),
      { name: 'a/b/2.0', content: opus(1), store: true },
      { name: '__MACOSX/a/b/._1.DPT', content: 'junk' },
      { name: '__MACOSX/inner.zip', content: 'junk' },
      { name: 'a/b/._2.0', content: 'junk' },
      { name: 'photo.jpg', content: 'junk' },
      { name: 'read-me.txt', content: 'made on Monday\n' },
      { name: 'empty.TXT', content: '' },
      { name: 'renamed', content: opus(2) },
      { name: 'report.xlsx', content: zip([dpt('sheet.xml')]) },
    ];
    expect(await names(...entries)).toEqual(['lot.zip/a/b/1.DPT', 'lot.zip/a/b/2.0', 'lot.zip/renamed']);
    const upper = await pool(file('LOT.ZIP', zip([dpt('1.csv')])));
    expect(upper.scans).toHaveLength(1);
  });

  it('tells what of it was not used, and refuses what may have been a scan', async () => {
    const entries = [dpt('a.csv'), dpt('b.csv ', 1), dpt('c.csv (1)', 2), dpt('d', 3), dpt('e.ASC', 4)];
    const others = ['photo.jpg', 'notes.txt', 'run.log', 'README.md', '.DS_Store', 'x/desktop.ini'];
    const lot = file('lot.zip', zip([...entries, ...others.map((name) => ({ name, content: 'words' }))]));
    const set = await pool(lot);
    expect(set.scans).toHaveLength(5);
    expect(set.unused).toEqual([
      { file: 'lot.zip/photo.jpg', reason: 'a .jpg file holds no scan' },
      { file: 'lot.zip/notes.txt', reason: 'it holds no numeric row' },
      { file: 'lot.zip/run.log', reason: 'it holds no numeric row' },
    ]);
    for (const [name, word] of [
      ['b.spa', 'b.spa'],
      ['.b.csv.icloud', 'iCloud'],
      ['b.spg', 'OMNIC'],
      ['b', 'neither'],
      ['b.jws', 'JASCO'],
    ])
      await expectZipRefusal([dpt('a.csv'), { name, content: 'no scan\0\0' }], name, word);
  });

  it('is refused where its end counts fewer entries than its directory holds', async () => {
    const lot = zip([dpt('a.csv'), dpt('b.csv', 1), dpt('c.csv', 2)], 2);
    await expectRefusal([file('lot.zip', lot)], 'lot.zip', 'more entries than its end says');
  });

  it('gives names in UTF-8, flagged or not, and in its own code page', async () => {
    const plain = (name: string | Buffer) => names({ ...dpt(''), name, flags: 0 });
    expect(await plain('Stückä_rough_1.csv')).toEqual(['lot.zip/Stückä_rough_1.csv']);
    expect(await plain(Buffer.from('St\x81ck.csv', 'latin1'))).toEqual(['lot.zip/Stück.csv']);
    expect(await plain('S1_rough_1.csv')).toEqual(['lot.zip/S1_rough_1.csv']);
  });

  it('whose entries lie on the same bytes is refused before anything is unpacked', async () => {
    const scan = dpt('a.csv');
    const entries = [scan, ...Array.from({ length: 250 }, (_, i) => ({ ...scan, name: `${i}.csv`, at: 0 }))];
    await expectZipRefusal(entries, '.csv', 'lies on the same bytes');
  });

  it('without a scan is refused, with what was passed over', async () => {
    await expectZipRefusal([], 'it is empty');
    await expectZipRefusal([{ name: 'a/', content: '', store: true }], 'it is empty');
    const others = ['a.txt', 'b.pdf', 'c.doc', 'd.md', 'e.xml', 'f.log'].map((name) => ({ name, content: 'x' }));
    await expectZipRefusal(others, 'no scan file', 'b.pdf', 'and 1 more');
  });

  it('is refused for a text with numbers that is no scan, and for any other scan without', async () => {
    await expectZipRefusal([dpt('a.dpt'), { name: 'b.txt', content: '1 2\n' }], 'b.txt');
    await expectZipRefusal([dpt('a.dpt'), { name: 'b.csv', content: 'words\n' }], 'b.csv');
  });

  it('is refused for paths that lead outside, links, passwords and archives inside, before anything is unpacked', async () => {
    for (const name of ['../a.dpt', 'a/../../b.dpt', '/etc/a.dpt', 'C:\\a.dpt', '..\\a.dpt', '__MACOSX/../../x']) {
      await expectZipRefusal([dpt('good.dpt'), dpt(name)], 'leads outside');
    }
    const bad = { content: 'never looked at', size: 15 };
    await expectZipRefusal([{ ...bad, name: 'a.dpt', mode: 0o120777 }], 'a.dpt', 'link');
    await expectZipRefusal([{ ...bad, name: 'a.dpt', flags: 0x801 }], 'a.dpt', 'encrypted');
    await expectZipRefusal([{ ...bad, name: 'a.dpt', flags: 0x841 }], 'encrypted');
    await expectZipRefusal([{ ...bad, name: 'a.dpt', method: 12 }], 'a.dpt', 'unusual');
    for (const name of ['b/more.zip', 'more.ZIP', 'more.tar', 'more.tgz', 'more.7z', 'more.rar']) {
      await expectZipRefusal([dpt('good.dpt'), { ...bad, name }], name, 'archive in an archive');
    }
    await expectZipRefusal([{ name: 'a.dpt', content: zip([dpt('b.dpt')]) }], 'a.dpt', 'archive in an archive');
  });

  it('is refused beyond 512 entries, companions apart', async () => {
    const many = (n: number, name: (i: number) => string) =>
      Array.from({ length: n }, (_, i) => ({ name: name(i), content: 'x', store: true }));
    const noise = many(510, (i) => `${i}.log`);
    const companions = many(511, (i) => `__MACOSX/._${i}.dpt`);
    expect(await names(dpt('a.dpt'), dpt('b.dpt', 1), ...noise, ...companions)).toHaveLength(2);
    await expectZipRefusal([dpt('a.dpt'), ...many(512, (i) => `${i}.log`)], 'more entries than allowed');
    await expectZipRefusal(
      many(1025, (i) => `__MACOSX/._${i}.dpt`),
      'more entries than allowed',
    );
  });

  it('is refused beyond the bytes allowed, before anything is unpacked, all zips of a side together', async () => {
    const small = { ...limits, unpackedBytes: 50_000 };
    const scan = text(0);
    const lots = (n: number) => Array.from({ length: n }, (_, i) => file(`${i}.zip`, zip([dpt('a.dpt', i)])));
    const max = Math.floor(50_000 / scan.length);
    expect((await readScanFiles('rough', lots(max), small)).scans).toHaveLength(max);
    await expect(readScanFiles('rough', lots(max + 2), small)).rejects.toMatchObject({
      detail: expect.stringContaining('more bytes than allowed'),
    });
    const bomb = zip([{ name: 'a.dpt', content: 'broken', size: 300 * 1024 * 1024 }]);
    await expectRefusal([file('bomb.zip', bomb)], 'bomb.zip', 'more bytes than allowed');
  });

  it('that unpacks to another length or sum than it says is refused, at no more than the length it says', async () => {
    const zeros = new Uint8Array(64 * 1024 * 1024);
    await expectZipRefusal([{ name: 'a.dpt', content: zeros, size: 1000 }], 'a.dpt', 'damaged');
    await expectZipRefusal([{ name: 'a.dpt', content: text(0), size: 100_000 }], 'a.dpt', 'damaged');
    await expectZipRefusal([{ name: 'a.dpt', content: text(0), sum: 1 }], 'a.dpt', 'damaged');
    await expectZipRefusal([{ name: 'a.dpt', content: text(0), sum: 1, store: true }], 'a.dpt', 'damaged');
  });

  it('that is cut off or none at all is refused', async () => {
    const whole = zip([dpt('a.dpt')]);
    for (const data of [
      whole.subarray(0, 500),
      whole.subarray(0, -1),
      bytes('PK\x03\x04'),
      bytes('no zip'),
      bytes(''),
    ]) {
      await expectRefusal([file('lot.zip', data)], 'lot.zip', 'no readable zip');
    }
    await expectRefusal([file('lot.zip', zip([dpt('a.dpt')], 2))], 'lot.zip', 'directory is damaged');
  });
});

it('inspects every file of a zip, the refused ones too', async () => {
  const found = await inspectScanFile('lot.zip', zip([dpt('a.dpt'), { name: 'b.csv', content: '' }, dpt('c.txt', 1)]));
  const summary = found.map((one) => (one instanceof Refusal ? one.detail.split(':')[0] : one.file));
  expect(summary).toEqual(['lot.zip/a.dpt', 'lot.zip/b.csv', 'lot.zip/c.txt']);
  const single = await inspectScanFile('a.0', opus(0));
  expect(single).toMatchObject([{ file: 'a.0', format: 'opus', points: POINTS }]);
});

it('gives a set or a refusal for any bytes of a zip, changed anywhere', async () => {
  const base = zip([{ ...dpt('a.dpt'), store: true }, dpt('b/c.csv', 2), { name: 'd.0', content: opus(4) }]);
  const tail = base.length - 300;
  const change = fc.tuple(
    fc.oneof(fc.nat(base.length - 1), fc.integer({ min: tail, max: base.length - 1 })),
    fc.nat(255),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
      const data = base.slice();
      for (const [at, value] of changes) data[at] = value;
      await pool({ name: 'lot.zip', data }).catch((error: Error) => {
        if (error.name !== 'Refusal') throw error;
      });
    }),
    { numRuns: 400 },
  );
});
