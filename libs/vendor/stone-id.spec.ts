import fc from 'fast-check';
import { checkBarcode, formatStoneId, IdentifierError, parseStoneId } from './stone-id.js';

describe('stone identifiers', () => {
  it('are read and written alike', () => {
    const code = (max: number) => fc.stringMatching(/^[A-Za-z0-9]+$/, { maxLength: max });
    fc.assert(
      fc.property(code(64), fc.option(code(16), { nil: undefined }), (base, part) => {
        const id = part === undefined ? { base } : { base, part };
        expect(parseStoneId(formatStoneId(id))).toEqual(id);
      }),
    );
  });

  it.each([
    ['', 'empty'],
    ['.1', 'a part needs a base code'],
    ['AB1.', 'no part follows'],
    ['AB1.1.2', 'more than one dot'],
    ['AB 1', 'only the letters'],
    [' AB1', 'only the letters'],
    ['\u0410B1', 'only the letters'],
    ['AB1\u200b', 'only the letters'],
    ['AB1\u0000', 'only the letters'],
    ['\ud800', 'only the letters'],
    ['AB1\uff0e1', 'only the letters'],
    ['A'.repeat(65), 'longer than 64'],
    [`A.${'1'.repeat(17)}`, 'longer than 16'],
  ])('%j is refused', (text, why) => {
    expect(() => parseStoneId(text)).toThrow(IdentifierError);
    expect(() => parseStoneId(text)).toThrow(why);
  });

  it('shows a misleading character escaped and a long text short', () => {
    expect(() => parseStoneId('\u0410B1')).toThrow('"\\u0410B1"');
    const long = (() => {
      try {
        return parseStoneId('\u0000'.repeat(10_000));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(String(long).length).toBeLessThan(500);
    expect(() => parseStoneId(`!${'a'.repeat(100)}`)).toThrow(`"!${'a'.repeat(63)}..."`);
  });
});

describe('barcodes', () => {
  it.each([
    ['', 'empty'],
    ['1000 01', 'without blanks'],
    ['1'.repeat(10_000), 'longer than 128'],
    ['10000\u0661', 'printable ASCII'],
    ['1\n2', 'printable ASCII'],
  ])('%.20j is refused', (text, why) => {
    expect(() => checkBarcode(text)).toThrow(why);
  });

  it('pass as they are', () => expect(checkBarcode('A-10/0.2')).toBe('A-10/0.2'));
});
