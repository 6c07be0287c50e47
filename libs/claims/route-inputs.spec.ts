/** What is no absorbance of a diamond is refused wherever it enters, with what it looks like. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectScanFile } from '#science/spectra/files';
import { Refusal } from '#science/spectra/refusal';
import { readScanFile } from '#science/spectra/scan-file';
import { zip } from '#science/spectra/test/zip';
import { claimOf, filesOf, type JsonSide, TestService } from '../../apps/server/test/fixture.js';
import { plainLot, stonesOf, Trader } from '../../apps/server/test/lots.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

interface Kind {
  says: RegExp;
  y?: (absorbance: number, wavenumber: number) => number;
  x?: (wavenumber: number) => number;
  /** Text alone has one. */
  head?: string;
  /** Its values are an absorbance's, and its lattice is no diamond's. */
  foreign?: true;
}
const band = (at: number, x: number) => Math.exp(-(((x - at) / 30) ** 2));
const KINDS: Record<string, Kind> = {
  'milli-absorbance': { says: /milli-absorbance/, y: (y) => 1000 * y },
  'per-cent transmittance': { says: /per-cent transmittance/, y: (y) => 100 * 10 ** -y },
  'per cent absorbed': { says: /absorption in per cent/, y: (y) => 100 * (1 - 10 ** -y) },
  'Raman counts': { says: /counts/, y: (_, x) => 86_531 * band(1332, x) - 116 },
  'wavelengths in nm': { says: /wavelengths in nm/, x: (x) => 1e7 / x },
  'wavenumbers below 0': { says: /below 0/, x: (x) => x - 900 },
  'transmittance by its head': { says: /line 1 gives .*transmittance/, head: 'Wellenzahl,Transmissionsgrad' },
  'a silicate': { says: /show no diamond/, y: (_, x) => band(1870, x) + 0.7 * band(1790, x), foreign: true },
};
const turned = (side: JsonSide, { x = (v) => v, y = (v) => v }: Kind): JsonSide => ({
  ...side,
  wavenumbers: side.wavenumbers.map(x),
  spectra: side.spectra.map((values) => values.map((value, i) => y(value, side.wavenumbers[i]) + 1e-6 * value)),
});
const textsOf = (side: JsonSide, kind: Kind) =>
  filesOf(turned(side, kind)).map(({ name, text }) => ({ name, text: `${kind.head ?? ''}\n${text}`.trimStart() }));
const { rough, polish } = claimOf(1);
const form = (...files: [field: string, name: string, data: string | Uint8Array<ArrayBuffer>][]) => {
  const made = new FormData();
  for (const [field, name, data] of files) made.append(field, new Blob([data]), name);
  return made;
};
const polishFile: [string, string, string] = ['polish_files', 'P_1.csv', filesOf(polish)[0].text];
const detailOf = (read: () => unknown): string => {
  try {
    read();
    return 'read';
  } catch (error) {
    return error instanceof Refusal ? error.detail : String(error);
  }
};

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  const refused = (answer: { status: number; body: { detail: string } }) => {
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringMatching(kind.says) } });
  };

  it('is refused as a file of a form, and in a zip, by the name of the file', async () => {
    const texts = textsOf(rough, kind);
    const packed = zip(texts.map(({ name, text }) => ({ name, content: text })));
    for (const sent of [
      form(...texts.map(({ name, text }) => ['rough_files', name, text] as [string, string, string]), polishFile),
      form(['rough_files', 'S1.zip', packed], polishFile),
    ]) {
      const answer = await service.verify(sent);
      refused(answer);
      expect(answer.body.detail).toContain(texts[0].name.replace('1.csv', ''));
    }
  });

  if (!kind.head)
    it('is refused as JSON', async () => refused(await service.verify({ rough: turned(rough, kind), polish })));

  it('is refused by inspect, and where files are dropped into the page', async () => {
    const [{ name, text }] = textsOf(rough, kind);
    const data = new TextEncoder().encode(text);
    const dropped = detailOf(() => readScanFile(name, data));
    if (kind.foreign) return expect(dropped).toBe('read');
    expect(dropped).toMatch(kind.says);
    expect(await inspectScanFile(name, data)).toEqual([
      expect.objectContaining({ detail: expect.stringMatching(kind.says) }),
    ]);
  });

  it('is refused as stones of a lot, by the name of a file, and nothing is enrolled', async () => {
    const { enrol } = await plainLot();
    const files = stonesOf(enrol, 10).map(({ name, data }) => {
      const rows = new TextDecoder()
        .decode(data)
        .trim()
        .split('\n')
        .map((row) => row.split(',').map(Number));
      const side = { wavenumbers: rows.map(([x]) => x), spectra: [rows.map(([, y]) => y)], stone_id: 'L' };
      return { name, data: new TextEncoder().encode(textsOf(side, kind)[0].text) };
    });
    const trader = await Trader.in(service, `trader of ${_}`);
    const answer = await trader.enrol(files, { name: 'lot', session_type: 'shaken' });
    refused(answer);
    expect(answer.body.detail).toMatch(/[.]csv/);
    expect((await trader.get('/lots')).body.items).toEqual([]);
  });
});

it('takes absorbance as the unit of a side, and refuses any other by name', async () => {
  const said = (unit: unknown) => service.verify({ rough: { ...rough, unit } as JsonSide, polish });
  expect((await said('absorbance')).status).toBe(200);
  expect(await said('%T')).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/unit is "%T"/) } });
  expect((await said(3)).body.detail).toMatch(/unit is no string/);
});

const shared = join(process.env.MVS_SHARED_DATA ?? join(process.cwd(), '../shared/data'), 'inputs');
const manifest = join(shared, 'manifest.json');

(existsSync(manifest) ? describe : describe.skip)('small inputs of all kinds', () => {
  const all: { file: string; mode: string; expect: string; reason_has?: string }[] = existsSync(manifest)
    ? JSON.parse(readFileSync(manifest, 'utf8'))
    : [];
  const wanted = all.filter(({ mode }) => mode !== 'json');
  const bytesOf = (file: string) => Uint8Array.from(readFileSync(join(shared, file)));

  it('are refused in a form by name and reason, or judged, as their list says', async () => {
    expect(wanted.length).toBeGreaterThan(30);
    for (const { file, expect: becomes, reason_has = '' } of wanted) {
      const { status, body } = await service.verify(form(['rough_files', file, bytesOf(file)], polishFile));
      if (becomes.startsWith('accept')) expect([file, status, body.detail]).toEqual([file, 200, undefined]);
      if (becomes === 'refuse') expect([file, status]).toEqual([file, 400]);
      if (status === 200) continue;
      expect([file, status, body.detail]).toEqual([file, 400, expect.stringContaining(file)]);
      if (becomes === 'refuse') expect(body.detail.toLowerCase()).toContain(reason_has);
    }
  });

  it('are refused as scans of a stone of a lot, by name and reason', async () => {
    const { enrol } = await plainLot();
    const others = stonesOf(enrol, 9);
    const trader = await Trader.in(service, 'trader of small inputs');
    for (const { file, reason_has = '' } of wanted.filter(({ expect: becomes }) => becomes === 'refuse')) {
      const extension = file.slice(file.lastIndexOf('.'));
      const odd = [1, 2, 3].map((n) => ({ name: `odd_${n}${extension}`, data: bytesOf(file) }));
      const { status, body } = await trader.enrol([...others, ...odd], { name: file, session_type: 'shaken' });
      expect([file, status, body.detail]).toEqual([file, 400, expect.stringMatching(/odd_\d|stone/)]);
      if (extension !== '.zip') expect(body.detail.toLowerCase()).toContain(reason_has);
    }
    expect((await trader.get('/lots')).body.items).toEqual([]);
  });

  it('are read alike where files are dropped into the page, which unpacks no zip', async () => {
    for (const { file } of wanted) {
      const dropped = detailOf(() => readScanFile(file, bytesOf(file)));
      const [first] = await inspectScanFile(file, bytesOf(file));
      if (file.endsWith('.zip')) expect(dropped).toMatch(/zip archive; unpack it first/);
      else expect([file, dropped]).toEqual([file, first instanceof Refusal ? first.detail : 'read']);
    }
  });
});
