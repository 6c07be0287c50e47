import { limits } from '#config/limits';
import { markedName, StoneTemplateError, stonesOf, stoneTemplate } from './stone-names.js';

const { referenceCharacters: most } = limits;

it.each([
  ['AB12.dpt', 'AB12'],
  ['AB12.0', 'AB12'],
  ['AB12.1.0', 'AB12.1'],
  ['AB12.1_rough_2.DPT', 'AB12.1'],
  ['AB12.1_polish.0', 'AB12.1'],
  ['AB12.1_2.csv', 'AB12.1'],
  ['AB12_second.csv', 'AB12'],
  ['AB12.final_1.0001', 'AB12'],
  ['AB12.1.2_x.csv', 'AB12.1.2'],
  ['AB12.1b.csv', 'AB12'],
  ['2026_001_3.0', '2026_001'],
  ['lot 7/rough/2026-001_polish_1.csv', '2026-001'],
  ['C:\\scans\\2026-001_rough_1.txt', '2026-001'],
  ['2026-001.csv', '2026-001'],
  ['A 12.0', 'A 12'],
  ['Mu\u0308ller 7_ROUGH_1.csv', 'M\u00fcller 7'],
  ['rough_AB12_1.csv', 'AB12'],
  ['rough_1.csv', ''],
  ['polish.0', ''],
  ['AB12', 'AB12'],
  ['x__1.csv', 'x'],
  ['_1.0', '_1'],
  ['.0', ''],
  ['\u{1f48e}'.repeat(most + 1), '\u{1f48e}'.repeat(most)],
])('takes the stone reference of %s alone to be %s', (name, reference) => {
  expect(stonesOf({ rough: [name], polish: [] })).toEqual({ rough: reference === '' ? [] : [reference], polish: [] });
});

/** Numbering styles that laboratories have. */
const STYLES = ['2026-001', 'LOT7-001', 'A 12', '12.5', '00042', 'K\u00f6nigin-B', '\u94bb\u77f3 7', 'ABC'];

it.each(STYLES)('reads %s whatever separates side and scan', (stone) => {
  for (const between of ['_', '-', ' ']) {
    const names = (side: string, scans: number[]) => scans.map((n) => `${[stone, side, n].join(between)}.csv`);
    expect(stonesOf({ rough: names('rough', [1, 2, 3]), polish: names('polish', [1]) })).toEqual({
      rough: [stone],
      polish: [stone],
    });
  }
  const opus = (numbers: number[]) => numbers.map((n) => `${stone}.${n}`);
  expect(stonesOf({ rough: opus([0, 1, 2]), polish: opus([3]) })).toEqual({ rough: [stone], polish: [stone] });
});

it('takes what names of one side differ in for a scan, on the other side too', () => {
  const rough = ['AB12-1.csv', 'AB12-2.csv', 'AB12-3.csv'];
  expect(stonesOf({ rough, polish: ['AB12-7.csv'] })).toEqual({ rough: ['AB12'], polish: ['AB12'] });
  expect(stonesOf({ rough: ['2026-001.csv'], polish: ['2026-002.csv'] })).toEqual({
    rough: ['2026-001'],
    polish: ['2026-002'],
  });
});

it('names every stone that is pooled on a side', () => {
  const rough = ['LOT7-001_rough_1.csv', 'LOT7-001_rough_2.csv', 'LOT7-002_rough_1.csv'];
  expect(stonesOf({ rough, polish: [] }).rough).toEqual(['LOT7-001', 'LOT7-002']);
});

describe('a template', () => {
  it('reads names that fit, and no other', () => {
    const read = stoneTemplate('*-{stone}-{side}({scan})');
    expect(read('MK-2026_1-R(3).csv')).toEqual({ stone: '2026_1', side: 'rough' });
    expect(read('MK-2026_1-polished(12).0')).toEqual({ stone: '2026_1', side: 'polish' });
    expect(read('2026_1_rough_3.csv')).toBeUndefined();
    expect(stonesOf({ rough: ['x.csv'], polish: ['a-S1-P(1).csv'] }, read)).toEqual({ rough: [], polish: ['S1'] });
  });

  it.each([
    ['{side}_{scan}', 'it needs the field {stone}'],
    ['{stone}{scan}', 'between two fields there has to be text'],
    ['{stone}_{stone}', 'each field stands in it once'],
    ['{stone}_{colour}', '{colour} is no field'],
    [`{stone}${'_'.repeat(200)}`, 'longer than 128'],
  ])('is refused where it is %s', (template, why) => {
    expect(() => stoneTemplate(template)).toThrow(StoneTemplateError);
    expect(() => stoneTemplate(template)).toThrow(why);
  });

  it('takes text as it stands, not as a regular expression', () => {
    const read = stoneTemplate('(a+)+{stone}');
    expect(read('(a+)+S1.csv')).toEqual({ stone: 'S1' });
    expect(read('aaaaS1.csv')).toBeUndefined();
  });
});

it('says stone and side of a name that has both', () => {
  expect(markedName('scans/S1_rough_1.csv')).toEqual({ stone: 'S1', side: 'rough' });
  expect(markedName('S1 polished.0')).toEqual({ stone: 'S1', side: 'polish' });
  for (const name of ['S1_1.csv', 'rough_1.csv', 'Sroughly_1.csv']) expect(markedName(name)).toBeUndefined();
});
