/** Limits that the environment sets, and what is refused where the parser would skip it. */
import { claimOf, filesOf, TestService } from '../../apps/server/test/fixture.js';
import { zipOf } from '../../apps/server/test/zip.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({
    MVS_MAX_UNPACKED_BYTES: '50000',
    MVS_MAX_ZIP_ENTRIES: '3',
    MVS_MAX_SCAN_POINTS: '700',
    MVS_MAX_SCANS_PER_SIDE: '2',
  });
});
afterAll(() => service.stop());

const claim = claimOf(1, { roughScans: 2 });
const [scan] = filesOf(claim.rough);
const short = scan.text.split('\n').slice(0, 60).join('\n');
type File = { name: string; data: string | Uint8Array<ArrayBuffer> };
const send = (...rough: File[]) => {
  const form = new FormData();
  for (const { name, data } of rough) form.append('rough_files', new Blob([data]), name);
  form.append('polish_files', new Blob([filesOf(claim.polish)[0].text]), 'p.csv');
  return service.verify(form);
};
const named = (count: number, data: string) => Array.from({ length: count }, (_, i) => ({ name: `${i}.csv`, data }));

describe('POST /api/v1/verify-match 400, beyond a configured limit', () => {
  it.each<[string, RegExp, () => Promise<File[]>]>([
    ['MVS_MAX_SCANS_PER_SIDE', /more than 2 scans/, async () => named(3, scan.text)],
    [
      'MVS_MAX_SCAN_POINTS',
      /more than 700 points/,
      async () => [{ name: 'long.csv', data: Array.from({ length: 701 }, (_, i) => `${400 + i},0.${i}`).join('\n') }],
    ],
    [
      'MVS_MAX_ZIP_ENTRIES',
      /more entries than allowed/,
      async () => [{ name: 'many.zip', data: await zipOf(named(4, short)) }],
    ],
    [
      'MVS_MAX_UNPACKED_BYTES',
      /more bytes than allowed/,
      async () => [{ name: 'bomb.zip', data: await zipOf([{ name: 'a.csv', data: '0'.repeat(50_001) }]) }],
    ],
  ])('%s', async (_, detail, files) => {
    const { status, body } = await send(...(await files()));
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/^rough: .*no parseable spectra/)]);
    expect(body.detail).toMatch(detail);
  });

  it('takes what is within them', async () => {
    expect((await service.verify(claim)).status).toBe(200);
    expect((await send(...filesOf(claim.rough).map(({ name, text }) => ({ name, data: text })))).status).toBe(200);
  });
});

describe('POST /api/v1/verify-match 400, a scan that would drop out unseen', () => {
  const part = (header: string, text: string) => `--b\r\n${header}\r\n\r\n${text}\r\n`;
  const file = (field: string, name: string) => `Content-Disposition: form-data; name="${field}"; filename="${name}"`;
  const post = (...parts: string[]) =>
    service.call('POST', '/api/v1/verify-match', {
      headers: { 'x-api-key': service.apiKey, 'content-type': 'multipart/form-data; boundary=b' },
      body: `${parts.join('')}--b--\r\n`,
    });
  const sound = [part(file('rough_files', 'a.csv'), scan.text), part(file('polish_files', 'p.csv'), scan.text)];

  it('is sound without it', async () => {
    expect((await post(...sound)).status).toBe(200);
  });

  it.each([
    ['a line break in its file name', file('rough_files', 'b\n.csv')],
    ['a carriage return in its field name', file('rough\r_files', 'b.csv')],
    ['no Content-Disposition', 'Content-Type: text/csv'],
    ['a disposition that is no form-data', 'Content-Disposition: attachment; name="rough_files"; filename="b.csv"'],
    ['too large a header', `X-Padding: ${'x'.repeat(9000)}\r\n${file('rough_files', 'b.csv')}`],
  ])('for %s', async (_, header) => {
    const { status, body } = await post(sound[0], part(header, scan.text), sound[1]);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/no parseable spectra.*header of a part/)]);
  });
});
