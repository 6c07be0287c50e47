import fc from 'fast-check';
import type { FileReading } from './reading.js';
import type { Refusal, RefusalKind } from './refusal.js';
import { readScanFile } from './scan-file.js';

const POINTS = 60;
const xs = Array.from({ length: POINTS }, (_, i) => 500.25 + 90 * i);
const ys = xs.map((_, i) => ((i * 7) % 13) / 16 - 0.25);
const rows = (separator = ',', mark = '.', end = '\n') =>
  xs.map((x, i) => `${x}${separator}${ys[i]}`.replaceAll(/(\d)\.(\d)/g, `$1${mark}$2`)).join(end) + end;
const bytes = (text: string, encoding: BufferEncoding = 'utf8') => new Uint8Array(Buffer.from(text, encoding));
const read = (text: string | Uint8Array, name = 'AB12.dpt') =>
  readScanFile(name, typeof text === 'string' ? bytes(text) : text);
const expectRead = ({ scan, points, format }: FileReading) => {
  expect([points, format]).toEqual([POINTS, 'text']);
  expect(Array.from(scan.wavenumbers)).toEqual(xs);
  expect(Array.from(scan.absorbance)).toEqual(ys);
};
const expectRefusal = (text: string | Uint8Array, reason: string, kind: RefusalKind = 'unparseable') => {
  let caught: Refusal | undefined;
  try {
    read(text);
  } catch (error) {
    caught = error as Refusal;
  }
  expect(caught?.detail).toContain(reason);
  expect(caught?.detail).toMatch(/^AB12\.dpt: .+; .+/);
  expect(caught?.kind).toBe(kind);
};

describe('a two-column export is read', () => {
  it.each([
    ['commas', ','],
    ['commas and blanks', ', '],
    ['tabs', '\t'],
    ['semicolons', ';'],
    ['a blank', ' '],
    ['blanks', '    '],
    ['blanks and tabs', ' \t '],
  ])('separated by %s', (_, separator) => {
    expectRead(read(rows(separator)));
    expectRead(read(xs.map((x, i) => `  ${x}${separator}${ys[i]}  `).join('\r\n')));
  });

  it.each(['\t', ';', ' ', ' ; '])('with a decimal comma beside %j', (separator) => {
    const reading = read(rows(separator, ','));
    expectRead(reading);
    expect(reading.choice).toContain('decimal comma');
  });

  it('with a decimal mark that only later rows show', () => {
    for (const mark of ['.', ',']) {
      const table = xs.map((_, i) => `${1000 + i}\t${i < 20 ? i : `-${i % 3}${mark}5`}`).join('\n');
      expect(Array.from(read(table).scan.absorbance)).toEqual(xs.map((_, i) => (i < 20 ? i : -(i % 3) - 0.5)));
    }
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
    ['CR CR LF', '\r\r\n'],
  ])('with line ends %s, with and without the last', (_, end) => {
    expectRead(read(rows(',', '.', end)));
    expectRead(read(rows(',', '.', end).trimEnd()));
    expectRead(read(`# a comment${end}${rows(',', '.', end)}# the last line`));
  });

  it('with three-digit exponents, signs and bare points', () => {
    const table = xs.map(
      (x, i) =>
        `+${x.toExponential(7).replace(/e\+(\d)$/, 'e+00$1')},${ys[i].toExponential(5).replace(/e([+-])(\d)$/, 'E$100$2')}`,
    );
    expect(table[0]).toBe('+5.0025000e+002,-2.50000E-001');
    expectRead(read(table.join('\r\n')));
    expect(read(xs.map((x, i) => `${x},.${i + 10}`).join('\n')).scan.absorbance[3]).toBe(0.13);
  });

  it('with a byte order mark, headers of any kind and latin1 or Shift-JIS bytes around it', () => {
    const latin = bytes('# Probe \u00e4\u00f6\u00fc \u00b5m\r\n; comment\r\n"X","Y"\r\nX Y\r\n\r\n1998\r\n', 'latin1');
    const footer = Uint8Array.from([
      0x95, 0xaa, 0x89, 0xf0, 0x2c, 0x32, 0x20, 0x63, 0x6d, 0x2d, 0x31, 10, 0x83, 0x7a, 10,
    ]);
    for (const start of [[0xef, 0xbb, 0xbf], []]) {
      expectRead(read(Uint8Array.from([...start, ...latin, ...bytes(rows()), 13, 10, ...footer])));
    }
    const header = Array.from({ length: 19 }, (_, i) => `KEY ${i},value ${i}`).join('\n');
    const tail = Array.from({ length: 37 }, (_, i) => `[part ${i}],${i}`).join('\n');
    const reading = read(`${header}\n${rows()}\n${tail}`);
    expectRead(reading);
    expect(reading.choice).toContain('19 header and 37 footer lines');
  });

  it('descending and ascending, by any extension of a scan', () => {
    const descending = rows().trimEnd().split('\n').reverse().join('\n');
    for (const name of ['a.dpt', 'a.DPT', 'a.CSV', 'a.txt', 'a.tsv', 'a.0', 'a']) {
      const reading = read(descending, name);
      expectRead(reading);
      expect(reading).toMatchObject({ firstWavenumber: xs.at(-1), lastWavenumber: xs[0], min: -0.25, max: 0.5 });
    }
  });

  it('with an index column first', () => {
    for (const from of [0, 1]) {
      const table = xs.map((x, i) => `${i + from},${x},${ys[i]}`).join('\n');
      expectRead(read(`,wavenumber,absorbance\n${table}`));
    }
  });

  it('with trailing separators', () => expectRead(read(rows(',').replaceAll('\n', ',,\n'))));

  it('with unlabelled values up to 20', () => {
    const table = xs.map((x, i) => `${x},${i % 2 ? 19.9 : 17}`).join('\n');
    expect(read(table).max).toBe(19.9);
    expectRefusal(table.replace('17', '20.1'), '1 of 60 values lie beyond -3 to 20');
  });

  it('of 50 to 100,000 points', () => {
    const points = (n: number) => Array.from({ length: n }, (_, i) => `${0.5 * i + 50},${i % 7}`).join('\n');
    expect(read(points(50)).points).toBe(50);
    expectRefusal(points(49), 'it has 49 points, fewer than 50');
    expect(read(points(100_000)).points).toBe(100_000);
    expectRefusal(points(100_001), 'more than 100000 points');
  });
});

describe('a text file is refused', () => {
  const lines = rows().trimEnd().split('\n');
  const withLine = (at: number, ...inserted: string[]) =>
    [...lines.slice(0, at), ...inserted, ...lines.slice(at)].join('\n');

  it('when empty or without numbers', () => {
    expectRefusal('', 'it is empty');
    for (const text of ['\n\n', 'a read-me\n', 'X,Y\n', '\ufeff']) expectRefusal(text, 'no numeric row');
    expectRefusal(xs.join('\n'), 'one column');
  });

  it('when it has more than 10,000 lines that are no data', () => {
    expectRead(read(`${'#\n'.repeat(9000)}${rows()}`));
    expectRefusal(`${'#\n'.repeat(10_001)}${rows()}`, 'more than 10000 lines');
  });

  it('when it is no text', () => {
    expectRefusal(Uint8Array.from([1, 2, 0, 4]), 'neither an OPUS file nor text');
    expectRefusal(Uint8Array.from([0xff, 0xfe, 0x31, 0]), 'UTF-16');
  });

  it('for three or more columns that are no index, wavenumber, absorbance', () => {
    const table = (row: (x: number, i: number) => string) => xs.map(row).join('\n');
    expectRefusal(
      table((x, i) => `${x},${i},${i + 1}`),
      'table of curves',
    );
    expectRefusal(
      table((x, i) => `${i + 2},${x},0.5`),
      'table of curves',
    );
    expectRefusal(
      table((x, i) => `${i === 30 ? 99 : i},${x},0.5`),
      'table of curves',
    );
    expectRefusal(
      table((x, i) => `${i},${x},0.5,0.6`),
      'table of several curves',
    );
    expectRefusal(
      table((_, i) => `${1000 + i},5;0,5;;0,7;1`),
      'table of several curves',
    );
    expectRefusal(
      table((x) => `${x}  0.5  0.6  0.7`),
      'table of several curves',
    );
    expectRefusal(rows(',', ','), 'table of several curves');
  });

  it('for what stands between data rows', () => {
    for (const garbage of ['GARBAGE', '3000.0,NotANumber', '# a comment', '--', '4000']) {
      expectRefusal(withLine(30, garbage), garbage.startsWith('3') || garbage === '4000' ? 'broken' : 'garbage');
      expectRefusal(withLine(30, '', garbage), garbage.startsWith('3') || garbage === '4000' ? 'broken' : 'garbage');
    }
    expectRefusal(withLine(30, '3185.3,0.5,0.6'), 'another number of columns');
    expectRefusal(withLine(30, '3185.3\t0.5'), 'another way');
    expectRefusal(withLine(30, '3185,3;0,5'), 'another way');
    expectRefusal(`${rows('\t')}6000,5\t0,5`, 'another way');
  });

  it('for a last row that is cut off', () => {
    const text = rows().trimEnd();
    expectRefusal(text.slice(0, text.lastIndexOf(',')), 'broken');
    expectRefusal(text.slice(0, text.lastIndexOf(',') + 1), 'broken');
    expectRefusal(`${rows(' ')}6000.25`, 'broken');
    expectRefusal(`${rows(' ')}6000.25 0.5 x`, 'broken');
  });

  it('for a first row that is broken, but not for a date or a count above the data', () => {
    for (const row of ['410.25,n/a', '410.25;', '410,5\tx']) expectRefusal(`X,Y\n${row}\n${rows()}`, 'broken');
    for (const line of ['2024-01-05, 12:00', '16 scans, 4 cm-1', '60', '23/01/11,x'])
      expectRead(read(`${line}\n${rows()}`));
    expectRead(read(`${rows(' ')}16 scans averaged\n2024-01-05 12:00`));
  });

  it.each([
    ['a separator of thousands', (x: number) => x.toLocaleString('en-US', { minimumFractionDigits: 2 }), '\t'],
    ['one beside a semicolon', (x: number) => x.toLocaleString('en-US', { minimumFractionDigits: 2 }), ';'],
    ['an apostrophe between thousands', (x: number) => x.toLocaleString('de-CH').replace('\u2019', "'"), ';'],
    ['quotes', (x: number) => `"${x.toLocaleString('en-US', { minimumFractionDigits: 2 })}"`, ','],
  ])('for rows lost to %s, up or down, naming the line', (_, written, separator) => {
    const row = (x: number, i: number) => `${written(x)}${separator}${separator === ',' ? `"${ys[i]}"` : ys[i]}`;
    const first = separator === ',' ? 1 : xs.findIndex((x) => x >= 1000) + 1;
    expectRefusal(xs.map(row).join('\n'), `line ${first} is a data row that cannot be read`);
    expectRefusal(`cm-1 and A\r\n${xs.map(row).toReversed().join('\r\n')}`, 'line 2 is a data row that cannot be read');
  });

  it('for rows whose number did not fit', () => {
    for (const row of ['3185.3,*****', '*******,0.5', '3185.3, ***']) {
      expectRefusal(withLine(30, row), 'line 31 ');
      expectRefusal(`${rows()}${row}\n`, `line ${POINTS + 1} `);
      expectRefusal(`${row}\n${rows()}`, 'line 1 ');
    }
    expectRefusal(`${rows('\t')}3185.3\t******\n`, `line ${POINTS + 1} `);
    for (const line of ['*******************', '*** 60 points ***', '-- 60 --', '12.05.2019']) {
      expectRead(read(`${line}\n${rows()}`));
      expectRead(read(`${rows()}${line === '12.05.2019' ? 'end' : line}\n`));
    }
  });

  it('for wavelengths, by the head of the column or the unit', () => {
    for (const header of [
      'Wavelength (nm),Absorbance',
      'nm\tA',
      'Wavelength [um]; Abs',
      'XUNITS,NANOMETERS',
      '"Wave length","Abs"',
    ])
      expectRefusal(`${header}\n${rows()}`, 'wavelengths');
    for (const header of ['Wavenumber (cm-1),Absorbance', 'Laser wavelength 632.8 nm\nX Y', 'XUNITS,1/CM', 'number,A'])
      expectRead(read(`${header}\n${rows()}`));
  });

  it('for columns of reflectance or of a single beam', () => {
    for (const header of [
      'cm-1,Reflectance',
      'Wavenumber;%R',
      'cm-1 Single Beam',
      'X,single-channel',
      'cm-1,Kubelka-Munk',
    ])
      expectRefusal(`${header}\n${rows()}`, 'no absorbance');
    for (const header of ['Reflectance accessory: none\ncm-1,A', 'cm-1,Absorbance (single beam ratio)'])
      expectRead(read(`${header}\n${rows()}`));
  });

  it('for wavenumbers that repeat or turn round', () => {
    expectRefusal(withLine(30, lines[29]), 'repeats at data row 31');
    expectRefusal(withLine(30, lines[2]), 'turn round at data row 31');
    expectRefusal([...lines, ...lines].join('\n'), 'turn round');
  });

  it('for an interferogram, and for a count of points in place of wavenumbers', () => {
    const counted = (y: (i: number) => number) => Array.from({ length: 400 }, (_, i) => `${i}\t${y(i)}`).join('\n');
    expectRefusal(
      counted((i) => (i % 2 ? 1 : -1) / (1 + Math.abs(i - 200))),
      'interferogram',
    );
    expectRefusal(
      counted((i) => 1 + (i % 7)),
      'counts points',
    );
  });

  it('for transmittance, by its values or its header', () => {
    expectRefusal(xs.map((x, i) => `${x},${i < 29 ? 1 : 71.8}`).join('\n'), 'per-cent transmittance');
    for (const header of ['YUNITS,TRANSMITTANCE', '##YUNITS= %T', 'cm-1,%T', 'Wavenumber;T [%]', 'X,Transmittance']) {
      expectRefusal(`${header}\n${rows()}`, 'transmittance');
    }
    expectRefusal(`YUNITS,REFLECTANCE\n${rows()}`, 'no absorbance');
    for (const header of ['YUNITS,ABSORBANCE', 'cm-1,ARB', 'X,Abs', 'mode: transmittance\nYUNITS,Abs', 'TITLE,T-1']) {
      expectRead(read(`${header}\n${rows()}`));
    }
  });

  it('for values that are not finite', () => {
    for (const word of ['NaN', 'nan', '-inf', 'Infinity', '1.#QNAN', '-1.#IND', '1e999', '-1e999']) {
      for (const row of [`2000.5,${word}`, `${word},0.5`]) {
        if (row.startsWith('1.#') || row.startsWith('-1.#')) continue;
        expectRefusal(withLine(17, row), 'non-finite value(s) (nan/inf) in the data', 'non_finite');
      }
    }
    expectRefusal(`${rows('\t')}6000.5\tNaN`, 'non-finite', 'non_finite');
  });

  it('without any of its values in the text', () => {
    const secret = '0.73519';
    const broken = rows().replace(',', `,${secret}x`);
    for (const text of [broken, withLine(30, `2000,${secret},${secret}`), withLine(30, `${secret} is garbage`)]) {
      let detail = '';
      try {
        detail = read(text).choice;
      } catch (error) {
        detail = (error as Refusal).detail;
      }
      expect(detail).not.toContain(secret);
    }
  });
});

describe('any bytes', () => {
  const survives = (content: Uint8Array) => {
    try {
      const { scan } = read(content);
      if (!scan.absorbance.every(Number.isFinite) || !scan.wavenumbers.every(Number.isFinite)) throw new Error('NaN');
    } catch (error) {
      if ((error as Error).name !== 'Refusal') throw error;
    }
  };

  it('give a reading or a refusal', () => {
    const line = fc.string({ unit: fc.constantFrom(...'0123456789.,;\t +-eE#nNaAiIfF\r"'), maxLength: 30 });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), survives), { numRuns: 2000 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 80 }), (lines) => survives(bytes(lines.join('\n')))),
      { numRuns: 3000 },
    );
  });

  it('of a real layout, changed anywhere, give a reading or a refusal', () => {
    const base = [rows(), rows(';', ','), rows('  ', '.', '\r\n')].map((text) => bytes(`X Y\n${text}# end`));
    const change = fc.tuple(fc.nat(3000), fc.constantFrom(...bytes('0123456789.,;\t +-eE#nN\r\n"'), 0, 255));
    fc.assert(
      fc.property(fc.constantFrom(...base), fc.array(change, { minLength: 1, maxLength: 5 }), (file, changes) => {
        const content = file.slice();
        for (const [at, value] of changes) content[at % content.length] = value;
        survives(content);
      }),
      { numRuns: 3000 },
    );
  });

  it('are refused, however long a line, a number or a gap is', () => {
    const MiB = 1024 * 1024;
    for (const text of [
      'x'.repeat(4 * MiB),
      '1'.repeat(4 * MiB),
      `4000.5,0.${'1'.repeat(4 * MiB)}`,
      ' '.repeat(4 * MiB),
      '\n'.repeat(4 * MiB),
      `4000.5${' '.repeat(4 * MiB)}0.5`,
      '1,'.repeat(2 * MiB),
      'a\n'.repeat(MiB / 2),
    ]) {
      expect(() => read(text)).toThrow('AB12.dpt: no parseable spectra');
    }
  });
});
