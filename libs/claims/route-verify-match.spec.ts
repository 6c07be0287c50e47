import { zip } from '#science/spectra/test/zip';
import {
  claimOf,
  filesOf,
  formOf,
  type JsonClaim,
  type JsonSide,
  mixedUpClaim,
  TestService,
} from '../../apps/server/test/fixture.js';

let service: TestService;
const genuine = claimOf(1);
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const changed = (change: (claim: JsonClaim) => void): JsonClaim => {
  const claim = structuredClone(genuine);
  change(claim);
  return claim;
};
const form = (...parts: [field: string, content: string | Uint8Array<ArrayBuffer>, name?: string][]): FormData => {
  const made = new FormData();
  for (const [field, content, name] of parts) {
    if (name === undefined) made.append(field, content as string);
    else made.append(field, new Blob([content]), name);
  }
  return made;
};
const rough = filesOf(genuine.rough);
const [polish] = filesOf(genuine.polish);

describe('POST /api/v1/verify-match 200', () => {
  it('answers every field of the contract', async () => {
    const { status, body, headers } = await service.verify(genuine);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      mode: 'verify-match',
      verdict: 'MATCH',
      fused_score: expect.any(Number),
      scorer: 'raw',
      member_scores: { projection_1: expect.any(Number), projection_2: expect.any(Number) },
      member_cosines: body.member_scores,
      threshold: expect.any(Number),
      threshold_source: expect.stringMatching(/^shipped-default/),
      reject_target: 0.98,
      expected_genuine_accept: 0.9,
      p_match_5050: expect.any(Number),
      n_rough_scans: 3,
      n_polish_scans: 1,
      rough_sharpness: expect.any(Number),
      polish_sharpness: expect.any(Number),
      rough_detail_residual: expect.any(Number),
      polish_detail_residual: expect.any(Number),
      warnings: [
        expect.stringMatching(/uncalibrated population.*0\.98/i),
        expect.stringMatching(/unvalidated expected_genuine_accept/i),
      ],
      warning_kinds: ['uncalibrated_population', 'unvalidated_expected_genuine_accept'],
      shared_scans: 0,
      action: 'accept',
      action_reasons: [],
      scope: expect.stringMatching(/; scope [0-9a-f]{8}, in full at GET \/api\/v1[.]$/),
      claim_id: expect.stringMatching(/^clm_[0-9a-f]{32}$/),
      stone_ids: { rough: [genuine.rough.stone_id], polish: [genuine.polish.stone_id] },
      receipt: expect.stringMatching(/^[\w-]+[.][\w-]+[.][\w-]{86}$/),
    });
    expect(body.fused_score).toBe((body.member_scores.projection_1 + body.member_scores.projection_2) / 2);
  });

  it('accepts by the shipped threshold only what it was measured on, and says why not', async () => {
    const { rough, polish } = genuine;
    const claim = { rough: { ...rough, spectra: rough.spectra.slice(0, 1) }, polish };
    const reason = { code: 'too_few_rough_scans', text: expect.stringContaining('fewer than 3 different rough scans') };
    const first = await service.verify(claim);
    expect(first.body).toMatchObject({ verdict: 'MATCH', action: 'review', action_reasons: [reason] });
    expect((await service.verify(claim)).body).toEqual(first.body);
    const record = await service.json('GET', `/api/v1/claims/${first.body.claim_id}`, undefined, service.operator);
    expect(record.body).toMatchObject({ action: 'review', action_reasons: first.body.action_reasons });
  });

  it('asks for a review where a scan stands on both sides, also when the claim is repeated', async () => {
    const { rough } = genuine;
    const claim = { rough, polish: { ...rough, spectra: rough.spectra.slice(0, 1) } };
    for (const { body } of [await service.verify(claim), await service.verify(claim)]) {
      expect(body).toMatchObject({ verdict: 'MATCH', shared_scans: 1, action: 'review' });
      expect(await service.json('GET', `/api/v1/claims/${body.claim_id}`, undefined, service.operator)).toMatchObject({
        body: { shared_scans: 1, action: 'review', warning_kinds: body.warning_kinds },
      });
    }
  });

  it('rejects a mixed-up claim', async () => {
    expect((await service.verify(mixedUpClaim(2))).body.verdict).toBe('NO_MATCH');
  });

  it('gives JSON and multipart the same scores, and the same claim', async () => {
    const [json, multipart] = [await service.verify(genuine), await service.verify(formOf(genuine))];
    expect(multipart.status).toBe(200);
    expect(multipart.body).toEqual(json.body);
  });

  it('gives another order of scans and a descending axis the same scores', async () => {
    const turned = changed(({ rough }) => {
      rough.wavenumbers.reverse();
      for (const spectrum of rough.spectra) spectrum.reverse();
      rough.spectra.reverse();
    });
    const [first, second] = [await service.verify(genuine), await service.verify(turned)];
    expect(second.body.claim_id).toBe(first.body.claim_id);
    expect(second.body.fused_score).toBe(first.body.fused_score);
  });

  it.each([[0.98], ['0.98'], ['.980'], [undefined]])('takes reject_target %p for 0.98', async (reject_target) => {
    expect((await service.verify({ ...genuine, reject_target })).body.reject_target).toBe(0.98);
  });

  it.each([['0.98'], ['.980'], ['0.96']])('takes reject_target %s from a form', async (reject_target) => {
    const { body } = await service.verify(formOf({ ...genuine, reject_target }));
    expect(body.reject_target).toBe(Number(reject_target));
  });

  it('tells what was sent and not used, the same verdict again too', async () => {
    const lot = zip([
      ...rough.map(({ text }, i) => ({ name: `S1_rough_${i}.asc`, content: text })),
      { name: 'photo.jpg', content: 'x' },
      { name: '.DS_Store', content: 'x' },
    ]);
    const sent = form(['rough_files', lot, 'lot.zip'], ['polish_files', polish.text, 'p'], ['comment', 'x']);
    const unused = [
      { file: 'comment', reason: 'a field that is not read' },
      { file: 'lot.zip/photo.jpg', reason: 'a .jpg file holds no scan' },
    ];
    const { body } = await service.verify(sent);
    expect(body).toMatchObject({ n_rough_scans: rough.length, unused });
    expect((await service.verify(sent)).body).toMatchObject({ claim_id: body.claim_id, unused });
    expect((await service.verify(genuine)).body).not.toHaveProperty('unused');
  });

  it('marks an experimental rung', async () => {
    const { body } = await service.verify({ ...genuine, reject_target: 0.94 });
    expect(body.experimental).toBe(true);
    expect(body.warnings).toContainEqual(expect.stringMatching(/experimental rung/i));
  });

  it('takes upper-case extensions, repeated fields, empty parts and unknown fields', async () => {
    const { status, body } = await service.verify(
      form(
        ...rough.map(({ name, text }): [string, string, string] => ['rough_files', text, name.replace('.csv', '.CSV')]),
        ['rough_files', '', ''],
        ['comment', 'hello'],
        ['polish_files', polish.text, polish.name],
      ),
    );
    expect([status, body.n_rough_scans]).toEqual([200, 3]);
    expect(body.fused_score).toBe((await service.verify(genuine)).body.fused_score);
  });

  it('answers X-Request-Id with the one that came, or a fresh one', async () => {
    expect((await service.verify(genuine, { 'x-request-id': 'abc-1' })).headers.get('x-request-id')).toBe('abc-1');
    const { headers } = await service.verify(genuine, { 'x-request-id': 'has blanks "and" quotes' });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('POST /api/v1/verify-match 400', () => {
  it.each([[0.985], [1], ['high'], [null], [[0.98]], [{}]])('refuses reject_target %j', async (reject_target) => {
    const { status, body } = await service.verify({ ...genuine, reject_target });
    const detail = expect.stringContaining('reject_target must be one of');
    expect([status, body]).toMatchObject([400, { detail, code: 'reject_target' }]);
  });

  it.each<[string, (sent: FormData) => void]>([
    ['repeated', (sent) => sent.append('reject_target', '0.97')],
    ['repeated as a file', (sent) => sent.append('reject_target', new Blob(['0.97']), 'rung.txt')],
  ])('refuses a reject_target that is %s', async (_, append) => {
    const sent = formOf({ ...genuine, reject_target: 0.98 });
    append(sent);
    expect(await service.verify(sent)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('reject_target'), code: 'reject_target' },
    });
  });

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['a rung', '0.98'],
    ['no rung', '0.5'],
    ['empty', ''],
    ['no text', Uint8Array.of(0xff, 0xfe)],
    ['too large', '0'.repeat(4097)],
  ])('refuses a reject_target with a file name that is %s', async (_, content) => {
    const sent = formOf(genuine);
    sent.append('reject_target', new Blob([content]), 'rung.txt');
    expect((await service.verify(sent)).status).toBe(400);
  });

  it('names the side and the file for programs, with the code and the request id', async () => {
    const { body, headers } = await service.verify(
      form(['rough_files', rough[0].text, 'a.csv'], ['polish_files', 'not numbers', 'p.csv']),
    );
    expect(body).toEqual({
      detail: expect.stringMatching(/^polish: p\.csv: no parseable spectra/),
      code: 'unparseable',
      docs: '/api/v1/docs#description/unparseable',
      side: 'polish',
      file: 'p.csv',
      request_id: headers.get('x-request-id'),
    });
    const json = await service.verify(changed(({ polish }) => polish.spectra[0].fill(0.5)));
    expect(json).toMatchObject({ status: 400, body: { code: 'flat', side: 'polish' } });
    expect(json.body.detail).toMatch(/^polish.*scan\(s\) are flat \(zero variance\) and carry no identity/);
    expect(json.body).not.toHaveProperty('file');
  });

  /** The side without what lies between these wavenumbers. */
  const without = (side: JsonSide, ...holes: [number, number][]): JsonSide => {
    const kept = side.wavenumbers.map((w) => !holes.some(([from, to]) => w > from && w < to));
    const keep = (values: number[]) => values.filter((_, i) => kept[i]);
    return { ...side, wavenumbers: keep(side.wavenumbers), spectra: side.spectra.map(keep) };
  };

  it('warns of a hole and masks it: what is left scores nearer to the whole claim than to a mixed-up one', async () => {
    const whole = (await service.verify(genuine)).body;
    const mixedUp = (await service.verify(mixedUpClaim(1))).body;
    const { status, body } = await service.verify({
      rough: without(genuine.rough, [3200, 3400]),
      polish: without(genuine.polish, [600, 700], [3250, 3500]),
    });
    expect(status).toBe(200);
    expect(body.warnings).toContainEqual(expect.stringMatching(/^Insufficient wavenumber coverage: rough and polish/));
    expect(body.fused_score - mixedUp.fused_score).toBeGreaterThan(whole.fused_score - body.fused_score);
  });

  it('refuses a side of which too little is left, with the exact words, from JSON and from files', async () => {
    const polish = without(genuine.polish, [400, 1680], [2700, 6000]);
    const reached = polish.wavenumbers.map(Math.round);
    const range = `492-${Math.min(...reached)}, ${Math.max(...reached)}-5989`;
    const json = await service.verify({ ...genuine, polish });
    expect([json.status, json.body]).toEqual([
      400,
      expect.objectContaining({
        detail: `polish: scan(s) carry no identity: ${range} cm^-1 missing in the scan`,
        code: 'no_identity',
        side: 'polish',
      }),
    ]);
    const [{ text }] = filesOf(polish);
    const rough = filesOf(genuine.rough).map(({ name, text }): [string, string, string] => ['rough_files', text, name]);
    const files = await service.verify(form(...rough, ['polish_files', text, 'S1_polish.csv']));
    expect(files.body).toMatchObject({
      detail: `polish: scan(s) carry no identity: ${range} cm^-1 missing in S1_polish.csv`,
      file: 'S1_polish.csv',
    });
  });

  it.each([
    ['{"rough": ', 'body is not valid JSON'],
    ['', 'body is not valid JSON'],
    ['[1, 2]', 'JSON body must be an object'],
    ['"text"', 'JSON body must be an object'],
  ])('refuses the body %s', async (text, detail) => {
    expect(await service.verify(text)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(detail) },
    });
  });

  it.each(['NaN', 'Infinity', '-Infinity', '1e999'])('refuses %s among the numbers as non-finite', async (token) => {
    const text = JSON.stringify(changed(({ polish }) => polish.spectra[0].splice(100, 1, 123456))).replace(
      '123456',
      token,
    );
    const { status, body } = await service.verify(text);
    expect(status).toBe(400);
    expect(body.detail).toMatch(/^polish.*non-finite value\(s\) \(nan\/inf\) in the data/);
  });

  it.each<[string, FormData, RegExp]>([
    ['no file', form(['comment', 'x']), /^rough: no parseable spectra/],
    ['a wrong field name', form(['rough', rough[0].text, 'a.csv']), /^rough: no parseable spectra.*rough_files.*rough/],
    ['text in place of a file', form(['rough_files', 'text']), /^rough: no parseable spectra.*as text/],
    [
      'a file beside the sides',
      form(
        ['rough_files', rough[0].text, 'a.csv'],
        ['polish_files', polish.text, 'p.csv'],
        ['roughfiles', rough[1].text, 'b.csv'],
      ),
      /^no parseable spectra: a file came in roughfiles, which is not read/,
    ],
    ['no polish', form(['rough_files', rough[0].text, 'a.csv']), /^polish: no parseable spectra/],
    ['an empty file', form(['rough_files', '', 'a.csv']), /^rough: a\.csv: no parseable spectra/],
    ['words', form(['rough_files', 'not numbers', 'a.csv']), /^rough: a\.csv: no parseable spectra/],
    ['a torn zip', form(['rough_files', 'PK\u0003\u0004 torn', 'a.zip']), /^rough: a\.zip: no parseable spectra/],
    [
      'one bad file among good ones',
      form(
        ['rough_files', rough[0].text, 'a.csv'],
        ['rough_files', 'x', 'b.csv'],
        ['polish_files', polish.text, 'p.csv'],
      ),
      /^rough: b\.csv: no parseable spectra/,
    ],
  ])('refuses %s', async (_, sent, detail) => {
    const { status, body } = await service.verify(sent);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)]);
  });

  it.each([
    ['no boundary', 'multipart/form-data', 'x'],
    ['another boundary', 'multipart/form-data; boundary=b', '--a\r\n\r\n--a--'],
    [
      'an early end',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="rough_files"; filename="a"\r\n\r\n1,2',
    ],
  ])('refuses a multipart body with %s', async (_, type, text) => {
    const headers = { 'x-api-key': service.apiKey, 'content-type': type };
    const { status, body } = await service.call('POST', '/api/v1/verify-match', { headers, body: text });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('no parseable spectra')]);
  });

  it('looks at reject_target, then the rough side, then the polish side', async () => {
    const all = changed((claim) => {
      claim.reject_target = 2;
      claim.rough.spectra[0].fill(1);
      claim.polish.wavenumbers = [];
    });
    const details = [];
    for (const repair of [{}, { reject_target: 0.98 }, { reject_target: 0.98, rough: genuine.rough }]) {
      details.push((await service.verify({ ...all, ...repair })).body.detail);
    }
    expect(details[0]).toMatch(/^reject_target/);
    expect(details[1]).toMatch(/^rough.*flat/);
    expect(details[2]).toMatch(/^polish: wavenumbers must be/);
  });
});

describe('POST /api/v1/verify-match 422', () => {
  const axis = /^(rough|polish): wavenumbers must be a 1-D list of at least 50 values/;
  const shape = /^(rough|polish): expected object with wavenumbers \[N\] and spectra \[\[N floats\], \.\.\.\]/;
  it.each<[string, (claim: JsonClaim) => void, RegExp]>([
    ['a short axis', (c) => c.rough.wavenumbers.splice(49), axis],
    ['an axis of axes', (c) => Object.assign(c.polish, { wavenumbers: [[1, 2]] }), axis],
    ['a repeated wavenumber', (c) => c.rough.wavenumbers.splice(3, 1, c.rough.wavenumbers[4]), axis],
    ['a text among the wavenumbers', (c) => Object.assign(c.rough.wavenumbers, { 3: 'x' }), axis],
    ['a missing side', (c) => Object.assign(c, { polish: undefined }), shape],
    ['a side that is a list', (c) => Object.assign(c, { rough: [] }), shape],
    ['no spectra', (c) => c.rough.spectra.splice(0), shape],
    ['65 spectra', (c) => Object.assign(c.polish, { spectra: Array(65).fill(c.polish.spectra[0]) }), shape],
    ['a spectrum too short', (c) => c.rough.spectra[2].pop(), shape],
    ['null among the numbers', (c) => Object.assign(c.rough.spectra[0], { 7: null }), shape],
    ['a text among the numbers', (c) => Object.assign(c.rough.spectra[0], { 7: '0.5' }), shape],
  ])('refuses %s', async (_, change, detail) => {
    const { status, body } = await service.verify(changed(change));
    expect([status, body.detail]).toEqual([422, expect.stringMatching(detail)]);
  });
});

describe('POST /api/v1/verify-match 401', () => {
  it.each([
    ['no key', ''],
    ['an unknown key', `mvs_live_0123456789abcdef_${'A'.repeat(43)}`],
    ['no key at all', 'hello'],
    ['the operator key', 'operator'],
  ])('refuses %s, whatever the body', async (_, key) => {
    const sent = key === 'operator' ? service.service.secrets!.operatorKey : key;
    const { status, body } = await service.verify('not even JSON', { 'x-api-key': sent });
    expect([status, body]).toMatchObject([
      401,
      { detail: 'valid X-Api-Key header required', code: 'credential_api_key' },
    ]);
  });

  it('refuses the right id with another secret', async () => {
    const key = `${service.apiKey.slice(0, -43)}${'A'.repeat(43)}`;
    expect((await service.verify(genuine, { 'x-api-key': key })).status).toBe(401);
  });
});

describe('POST /api/v1/verify-match, other refusals', () => {
  it.each(['text/csv', 'json', ';'])('415: the content type %s, neither JSON nor multipart', async (type) => {
    const headers = { 'x-api-key': service.apiKey, 'content-type': type };
    const { status, body } = await service.call('POST', '/api/v1/verify-match', { headers, body: '1,2' });
    expect([status, body]).toMatchObject([
      415,
      { detail: expect.stringContaining('unsupported content type'), code: 'wrong_content_type' },
    ]);
  });

  it('415: a compressed body', async () => {
    const { status, body } = await service.verify('{}', { 'content-encoding': 'gzip' });
    expect([status, body]).toMatchObject([415, { detail: expect.stringContaining('compressed'), code: 'compressed' }]);
  });
});
