import { claimOf, filesOf, TestService } from '../../apps/server/test/fixture.js';

/** Two stones of a laboratory in each numbering style that was seen in use. */
const STYLES: Record<string, [string, string]> = {
  'year and number': ['2026-001', '2026-002'],
  'lot and number': ['LOT7-001', 'LOT7-002'],
  blank: ['A 12', 'A 13'],
  dot: ['12.5', '12.6'],
  'leading zeros': ['00042', '00043'],
  letters: ['ABC', 'ABD'],
  umlauts: ['M\u00fcller-\u00c4', 'M\u00fcller-\u00d6'],
  chinese: ['\u94bb\u77f3 7', '\u94bb\u77f3 8'],
};

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ MVS_STONE_PATTERNS: '{"lab-t":"*-{stone}_{scan}"}' });
});
afterAll(() => service.stop());

/** A claim as files named `<stone><rest>`. */
function filesNamed(number: number, stone: string, nameOf = (side: string, n: number) => `${stone}_${side}_${n}.csv`) {
  const form = new FormData();
  const claim = claimOf(number);
  for (const side of ['rough', 'polish'] as const)
    for (const [i, { text }] of filesOf(claim[side]).entries())
      form.append(`${side}_files`, new Blob([text]), nameOf(side, i + 1));
  return form;
}

const read = async (path: string) => (await service.call('GET', path, { headers: service.operator })).body;

it('reads honest folders of 8 numbering styles rightly, and finds nothing', async () => {
  const spellings: ((stone: string) => (side: string, n: number) => string)[] = [
    (stone) => (side, n) => `${stone}_${side}_${n}.csv`,
    (stone) => (_, n) => `${stone}_${n}.csv`,
  ];
  for (const [style, stones] of Object.entries(STYLES))
    for (const [spelling, spelt] of spellings.entries()) {
      const key = await service.createKey(`${style} ${spelling}`, { population: `${style} ${spelling}` });
      for (const [i, stone] of stones.entries()) {
        const form = filesNamed(20 + i, stone, spelt(stone));
        const { status, body } = await service.verify(form, { 'x-api-key': key });
        expect([style, status, body.stone_ids]).toEqual([style, 200, { rough: [stone], polish: [stone] }]);
        expect(body.warning_kinds).not.toContain('multiple_stone_ids');
      }
    }
  expect((await read('/api/v1/findings')).items).toEqual([]);
});

it('lets rough_stone_id and polish_stone_id win over the names, side by side', async () => {
  const form = filesNamed(30, 'S30');
  form.append('rough_stone_id', ' 2026-030 ');
  const { body } = await service.verify(form);
  expect(body.stone_ids).toEqual({ rough: ['2026-030'], polish: ['S30'] });
  expect(body).not.toHaveProperty('unused');
  const record = await read(`/api/v1/claims/${body.claim_id}`);
  expect([record.rough.references, record.polish.references]).toEqual([['2026-030'], ['S30']]);
  const empty = filesNamed(30, 'S31');
  empty.append('rough_stone_id', '');
  empty.append('polish_stone_id', 'P1');
  empty.append('polish_stone_id', 'P2');
  const pooled = (await service.verify(empty)).body;
  expect(pooled.stone_ids).toEqual({ rough: ['S31'], polish: ['P1', 'P2'] });
  expect(pooled.warning_kinds).toContain('multiple_stone_ids');
});

it('refuses a stone id that came as a file', async () => {
  const form = filesNamed(30, 'S30');
  form.append('rough_stone_id', new Blob(['S30']), 'stone.txt');
  const { status, body } = await service.verify(form);
  expect([status, body.detail]).toEqual([400, expect.stringContaining('rough_stone_id')]);
});

it('reads the names of a population by its template; one that does not fit has no reference', async () => {
  const key = await service.createKey('templated', { population: 'lab-t' });
  const form = filesNamed(31, '', (side, n) => (side === 'rough' ? `MK-2026_31_${n}.csv` : 'polish of 31.csv'));
  const { body } = await service.verify(form, { 'x-api-key': key });
  expect(body.stone_ids).toEqual({ rough: ['2026_31'], polish: [] });
});

it('does not start with a template that is none', async () => {
  for (const [given, why] of [
    ['{"lab-t":"{side}"}', 'it needs the field {stone}'],
    ['["{stone}"]', 'must be JSON'],
    ['{stone}', 'must be JSON'],
  ])
    await expect(TestService.startWithoutKey({ MVS_STONE_PATTERNS: given })).rejects.toThrow(why);
});
