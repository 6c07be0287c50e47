import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { limits } from '#config/limits';
import { inspectScanFile, readScanFiles } from './files.js';
import { readJsonClaim } from './json.js';
import { opusScan } from './opus-writer.js';
import { Refusal } from './refusal.js';
import { prepareSide } from './scan-set.js';
import type { NamedFile } from './zip.js';

const POINTS = 700;
const xs = Array.from({ length: POINTS }, (_, i) => 450 + 8 * i);
const curve = (phase: number) => Float32Array.from({ length: POINTS }, (_, i) => ((i * 7 + phase) % 13) / 16);
const text = (phase: number) => xs.map((x, i) => `${x},${curve(phase)[i]}`).join('\n');
const bytes = (content: string | Uint8Array) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;
const file = (name: string, content: string | Uint8Array): NamedFile => ({ name, data: bytes(content) });
const opus = (phase: number) => opusScan(curve(phase), xs[0], xs[POINTS - 1]);

interface ZipEntry {
  name: string;
  content: string | Uint8Array;
  store?: boolean;
  flags?: number;
  method?: number;
  mode?: number;
  size?: number;
  sum?: number;
}

/** A zip written by hand: any field may lie. */
function zip(entries: ZipEntry[], count = entries.length): Uint8Array {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, store = false, flags = 0, method = store ? 0 : 8, mode = 0, size, sum } of entries) {
    const data = bytes(content);
    const packed = store ? data : deflateRawSync(data);
    const path = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(flags | 0x800, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(sum ?? crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(size ?? data.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE((mode << 16) >>> 0, 6);
    central.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, path, packed]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), shared, central, path]));
    locals.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, index, end]));
}
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
    expect(set.references).toEqual(['AB12.1', 'CD3']);
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

  it('without a scan is refused, with what was passed over', async () => {
    await expectZipRefusal([], 'it is empty');
    await expectZipRefusal([{ name: 'a/', content: '', store: true }], 'it is empty');
    const others = ['read-me.txt', 'b.pdf', 'c.doc', 'd.md', 'e.xml', 'f.log'].map((name) => ({ name, content: 'x' }));
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
    await expectZipRefusal([{ ...bad, name: 'a.dpt', flags: 1 }], 'a.dpt', 'encrypted');
    await expectZipRefusal([{ ...bad, name: 'a.dpt', flags: 0x41 }], 'encrypted');
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
