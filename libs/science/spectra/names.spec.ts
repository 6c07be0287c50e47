import { limits } from '#config/limits';
import { cleanReference, exportOf, isScanName, reasonUnread } from './names.js';

const { referenceCharacters: most } = limits;

it('knows scan files by their extension in either case', () => {
  const scans = [
    'a.dpt',
    'a.CSV',
    'a.Txt',
    'a.tsv',
    'a.0',
    'a.1.0199',
    'x/y.0000',
    'a.asc',
    'a.SPA',
    'a.jdx',
    'a.csv ',
  ];
  const others = ['a', 'a.asp', 'a.pdf', 'a.zip', 'a.0/readme', 'a.', 'dpt'];
  expect(scans.filter(isScanName)).toEqual(scans);
  expect(others.filter(isScanName)).toEqual([]);
});

it('leaves out of a folder what holds no scan, with a reason but for what systems add and read-me files', () => {
  for (const name of [
    '__MACOSX/x.csv',
    'a/._b.csv',
    '.DS_Store',
    'a/desktop.ini',
    'README',
    'a/Read-Me.txt',
    'liesmich.txt',
  ])
    expect([name, reasonUnread(name)]).toEqual([name, '']);
  for (const name of ['a.JPG', 'report.pdf', 'list.xlsx']) expect(reasonUnread(name)).toMatch(/holds no scan/);
  for (const name of ['a.csv', 'a', 'a.icloud', 'a.csv (1)', 'a.log', 'readme.csv', '.S1.csv.icloud'])
    expect([name, reasonUnread(name)]).toEqual([name, undefined]);
});

it('says of files of other programs how they are exported', () => {
  expect(exportOf('a.SPG')?.how).toContain('OMNIC');
  expect(exportOf('.a.csv.icloud')?.how).toContain('download');
  expect(exportOf('a.csv')).toBeUndefined();
  expect(exportOf('a')).toBeUndefined();
});

it('keeps a reference well formed, trimmed and short', () => {
  expect(cleanReference('\t a\ud83d b ')).toBe('a\ufffd b');
  expect(cleanReference('a\0b\u202ec\u200bd\ufeff\u2066')).toBe('abcd');
  expect(cleanReference('a\tb\r\nc')).toBe('a b c');
  expect(cleanReference(`${'x'.repeat(most - 1)}\u{1f48e}y`)).toBe(`${'x'.repeat(most - 1)}\u{1f48e}`);
});
