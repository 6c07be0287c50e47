import { limits } from '#config/limits';
import { cleanReference, isScanName, referenceFromFileName } from './names.js';

const { referenceCharacters: most } = limits;

it.each([
  ['AB12.dpt', 'AB12'],
  ['AB12.0', 'AB12'],
  ['AB12.1.0', 'AB12.1'],
  ['AB12.1_rough_2.DPT', 'AB12.1'],
  ['lot 7/rough/AB12-3.csv', 'AB12'],
  ['C:\\scans\\AB12.2 second.txt', 'AB12.2'],
  ['AB12.final_1.0001', 'AB12'],
  ['AB12.1.2_x.csv', 'AB12.1'],
  ['AB12.1b.csv', 'AB12'],
  ['AB12', 'AB12'],
  ['_1.0', '_1'],
  ['.0', ''],
  ['\u{1f48e}'.repeat(most + 1), '\u{1f48e}'.repeat(most)],
])('takes the stone reference of %s to be %s', (name, reference) => {
  expect(referenceFromFileName(name)).toBe(reference);
});

it('knows scan files by their extension in either case', () => {
  const scans = ['a.dpt', 'a.CSV', 'a.Txt', 'a.tsv', 'a.0', 'a.1.0199', 'x/y.0000'];
  const others = ['a', 'a.asp', 'a.pdf', 'a.zip', 'a.0/readme', 'a.', 'dpt'];
  expect(scans.filter(isScanName)).toEqual(scans);
  expect(others.filter(isScanName)).toEqual([]);
});

it('keeps a reference well formed, trimmed and short', () => {
  expect(cleanReference('\t a\ud83d b ')).toBe('a\ufffd b');
  expect(cleanReference('a\0b\u202ec\u200bd\ufeff\u2066')).toBe('abcd');
  expect(cleanReference('a\tb\r\nc')).toBe('a b c');
  expect(cleanReference(`${'x'.repeat(most - 1)}\u{1f48e}y`)).toBe(`${'x'.repeat(most - 1)}\u{1f48e}`);
});
