import fc from 'fast-check';
import { limits } from '#config/limits';
import { readJsonClaim } from './json.js';
import { Refusal, type RefusalKind, type Side } from './refusal.js';
import { prepareSide } from './scan-set.js';

const POINTS = 60;
const axis = Array.from({ length: POINTS }, (_, i) => 500 + 90 * i);
const spectrum = (phase = 0) => axis.map((_, i) => ((i * 7 + phase) % 11) / 8);
const good = () => ({ wavenumbers: axis as unknown, spectra: [spectrum(), spectrum(3)] as unknown });
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (body: unknown) => readJsonClaim(bytes(typeof body === 'string' ? body : JSON.stringify(body)));
const claim = (rough: unknown, polish: unknown = good()) => ({ rough, polish });

function expectRefusal(act: () => unknown, kind: RefusalKind, ...words: string[]) {
  let caught: Refusal | undefined;
  try {
    act();
  } catch (error) {
    caught = error as Refusal;
  }
  expect(caught?.kind).toBe(kind);
  for (const word of words) expect(caught?.detail).toContain(word);
}
const expectBody = (body: string, kind: RefusalKind, ...words: string[]) =>
  expectRefusal(() => read(body), kind, ...words);
const expectSideText = (rough: string, kind: RefusalKind, ...words: string[]) =>
  expectRefusal(() => read(`{"rough":${rough}}`).side('rough'), kind, ...words);
const expectSide = (rough: unknown, kind: RefusalKind, ...words: string[]) =>
  expectSideText(JSON.stringify(rough), kind, ...words);

describe('a claim', () => {
  it('gives both sides with all numbers, in any order of members, with unknown members skipped', () => {
    const side = { stone_id: ' AB12.1 ', spectra: [spectrum(1)], note: { a: [1, ['x', null]] }, wavenumbers: axis };
    const { rejectTarget, side: of } = read({ extra: [{}], polish: good(), reject_target: 0.96, rough: side, z: 'ü' });
    expect(rejectTarget).toBe(0.96);
    const rough = of('rough');
    expect(rough.references).toEqual(['AB12.1']);
    expect(rough.scans).toHaveLength(1);
    expect(Array.from(rough.scans[0].wavenumbers)).toEqual(axis);
    expect(Array.from(rough.scans[0].absorbance)).toEqual(spectrum(1));
    expect(of('polish').scans.map((scan) => Array.from(scan.absorbance))).toEqual([spectrum(), spectrum(3)]);
    expect(of('polish').references).toEqual([]);
  });

  it('sorts the axis, whether descending or in any order, and every spectrum with it', () => {
    const whole = Array.from({ length: 420 }, (_, i) => 480 + 14 * i);
    const spectra = [0, 3].map((phase) => whole.map((_, i) => ((i * 7 + phase) % 11) / 8));
    const sorted = prepareSide(read(claim({ wavenumbers: whole, spectra })).side('rough'));
    const shuffled = Array.from(whole, (_, i) => (i * 37) % whole.length);
    for (const order of [shuffled, [...whole.keys()].reverse()]) {
      const pick = (values: number[]) => order.map((i) => values[i]);
      const side = { wavenumbers: pick(whole), spectra: spectra.map(pick) };
      const prepared = prepareSide(read(claim(side)).side('rough'));
      expect(prepared.digest).toBe(sorted.digest);
      expect(Array.from(prepared.spectra)).toEqual(Array.from(sorted.spectra));
    }
  });

  it('takes the last of repeated members, a byte order mark and blanks', () => {
    const text = JSON.stringify(claim({ wavenumbers: 1, spectra: [] }));
    const repeated = `\ufeff\r\n\t ${text.slice(0, -1)} , "rough" : ${JSON.stringify(good(), null, 2)} }\n `;
    expect(read(repeated).side('rough').scans).toHaveLength(2);
    expect(read('{"rough": 1, "r\\u006fugh": {}, "reject_target": 1, "reject_target": 2}').rejectTarget).toBe(2);
  });

  it.each<[string, unknown]>([
    ['0.98', 0.98],
    ['.980', 0.98],
    ['"0.98"', '0.98'],
    ['0.985', 0.985],
    ['1', 1],
    ['"hi\\u0067h"', 'high'],
    ['null', null],
    ['true', true],
    ['NaN', Number.POSITIVE_INFINITY],
    ['[0.98]', []],
    ['{"a": 1}', {}],
  ])('hands out reject_target %s raw, before the sides are looked at', (text, value) => {
    expect(read(`{"rough": 5, "reject_target": ${text}}`).rejectTarget).toEqual(value);
  });

  it('is without reject_target where there is none', () => expect(read('{}').rejectTarget).toBeUndefined());
});

describe('stone_id', () => {
  const references = (stone_id: unknown) => read(claim({ ...good(), stone_id })).side('rough').references;

  it('is trimmed and cut to the limit', () => {
    expect(references(`  ${'x'.repeat(limits.referenceCharacters + 1)}`)).toEqual([
      'x'.repeat(limits.referenceCharacters),
    ]);
    expect(references('💎'.repeat(limits.referenceCharacters + 1))).toEqual(['💎'.repeat(limits.referenceCharacters)]);
    // An invisible character would make two references that look alike.
    expect(references('a\n"\\ü')).toEqual(['a "\\ü']);
    expect(references('\ud800')).toEqual(['\ufffd']);
  });

  it('may be empty, null or a number, and is refused as anything else', () => {
    expect([references(''), references('  '), references(null), references(1234)]).toEqual([[], [], [], ['1234']]);
    for (const stone_id of [true, [], {}]) expectSide({ ...good(), stone_id }, 'side_shape', 'stone_id');
  });
});

describe('a side of the wrong shape', () => {
  const AXIS = 'rough: wavenumbers must be a 1-D list of at least 50 values';
  const SIDE = 'rough: expected object with wavenumbers [N] and spectra [[N floats], ...]';

  it('is refused for its axis', () => {
    const short = axis.slice(0, 49);
    expectSide({ wavenumbers: short, spectra: [spectrum().slice(0, 49)] }, 'axis_shape', AXIS, '49');
    const long = Array.from({ length: 100_001 }, (_, i) => i);
    expectSide({ wavenumbers: long, spectra: [long] }, 'axis_shape', AXIS, '100001');
    for (const wavenumbers of [null, 'x', 5, {}, [], [axis], axis.map(String), [...axis.slice(1), null]]) {
      expectSide({ ...good(), wavenumbers }, 'axis_shape', AXIS);
    }
    expectSide({ ...good(), wavenumbers: [axis[1], ...axis.slice(1)] }, 'axis_shape', AXIS, 'repeats');
  });

  it('is refused for its members, their shape and their number', () => {
    expectRefusal(() => read({}).side('rough'), 'side_shape', SIDE, 'missing');
    expectRefusal(() => read(claim(good(), 7)).side('polish'), 'side_shape', 'polish: expected object with');
    for (const side of [null, 5, 'x', [good()], {}, { wavenumbers: axis }, { spectra: [spectrum()] }]) {
      expectSide(side, 'side_shape', SIDE);
    }
    const many = (k: number) => ({ ...good(), spectra: Array.from({ length: k }, (_, i) => spectrum(i)) });
    expect(read(claim(many(64))).side('rough').scans).toHaveLength(64);
    for (const side of [many(0), many(65), many(500)]) expectSide(side, 'side_shape', SIDE);
    const row = spectrum();
    for (const spectra of [
      row,
      [row, row.slice(1)],
      [row, [...row, 1]],
      [[row]],
      [row, null],
      [row.map(String)],
      [[...row.slice(1), null]],
      [[...row.slice(1), 'NaN']],
      [[...row.slice(1), true]],
      'x',
      {},
    ]) {
      expectSide({ ...good(), spectra }, 'side_shape', SIDE);
    }
  });

  it('takes 100,000 points', () => {
    const long = Array.from({ length: 100_000 }, (_, i) => i);
    const side = read(claim({ spectra: [long], wavenumbers: long })).side('rough');
    expect(side.scans[0].absorbance.at(-1)).toBe(99_999);
  });

  it('is refused for values that are not finite, as tokens or by overflow', () => {
    for (const token of ['NaN', 'Infinity', '-Infinity', '1e999', '-1e999', ` NaN\n`]) {
      const text = JSON.stringify(good());
      for (const numbers of [text.replace('[0,', `[${token},`), text.replace('500', token)]) {
        expect(numbers).not.toBe(text);
        expectSideText(numbers, 'non_finite', 'rough: non-finite value(s) (nan/inf) in the data');
      }
    }
  });
});

describe('a body that is no JSON object', () => {
  it('is refused as such', () => {
    for (const body of ['[1,2]', '[]', '5', '"x"', 'null', ' true ', 'NaN', '[[NaN, {"a": -Infinity}]]']) {
      expectBody(body, 'not_an_object', 'JSON body must be an object');
    }
  });

  it('is refused', () => {
    for (const body of [
      '',
      ' ',
      '{',
      '}',
      '{}x',
      '{},',
      '{"a"}',
      '{"a":}',
      '{a:1}',
      '{"a":1,}',
      '{"a":01}',
      '{"a":+1}',
      '{"a":1.}',
      '{"a":.5}',
      '{"a":1e}',
      '{"a":nan}',
      '{"a":-NaN}',
      '{"a":1NaN}',
      '{"a":NaN1}',
      '{"a":1-Infinity}',
      '{"a":1e-Infinity}',
      '{"a":Infinitys}',
      '{"a":"b"NaN}',
      '{"a":"\\x"}',
      '{"a":"\\u12g4"}',
      '{"a":"\u0001"}',
      '{"a":"',
      '{"a":[1,]}',
      '{"a":[1 2]}',
      '{"a":[1}',
      '{"a":{"b":1]}',
      '{"rough":{"wavenumbers":[1,2,}}',
      '{"rough":{"wavenumbers":[1,2',
      '{"rough":{"wavenumbers":[01]}}',
      '{"rough":{"spectra":[[1,.5]]}}',
      '[1,2',
      'nul',
      "{'a':1}",
      '{"a":1}{"b":2}',
      `${'['.repeat(100)}${']'.repeat(100)}`,
      `{"a":${'{"a":'.repeat(100_000)}`,
      `{"rough":{"wavenumbers":${'['.repeat(1_000_000)}`,
    ]) {
      expectBody(body, 'invalid_json', 'body is not valid JSON');
    }
    expectRefusal(() => readJsonClaim(Uint8Array.of(123, 34, 255, 34, 58, 49, 125)), 'invalid_json', 'UTF-8');
    expectRefusal(() => readJsonClaim(new Uint8Array(Buffer.from('{}', 'utf16le'))), 'invalid_json');
  });
});

describe('any bytes', () => {
  const accepts = (body: Uint8Array): boolean => {
    try {
      readJsonClaim(body);
      return true;
    } catch (error) {
      if ((error as Error).name !== 'Refusal') throw error;
      return (error as Refusal).kind === 'not_an_object';
    }
  };
  const parses = (body: Uint8Array): boolean => {
    try {
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
      return true;
    } catch {
      return false;
    }
  };

  it('are JSON here exactly where they are to the runtime', () => {
    const names = fc.constantFrom('rough', 'polish', 'wavenumbers', 'spectra', 'stone_id', 'x', '');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }))),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    }));
    const cut = fc.record({
      at: fc.nat(),
      remove: fc.nat(3),
      insert: fc.string({ unit: fc.constantFrom(...'[]{},:"\\0.-e1 ntu'), maxLength: 3 }),
    });
    fc.assert(
      fc.property(value, fc.nat(2), fc.array(cut, { maxLength: 2 }), (tree, indent, cuts) => {
        let text = JSON.stringify(tree, null, indent);
        for (const { at, remove, insert } of cuts) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + insert + text.slice(start + remove);
        }
        const body = bytes(text);
        if (accepts(body) !== parses(body)) throw new Error(`disagreement on ${text}`);
      }),
      { numRuns: 3000 },
    );
  });

  it('give a claim or a refusal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => void accepts(body)),
      { numRuns: 3000 },
    );
  });
});

it('takes a number of 5,000 digits for what it is: one that is no measured value, or one of many decimals', () => {
  const digits = '7'.repeat(5000);
  const text = JSON.stringify(claim({ wavenumbers: axis, spectra: [axis.map(() => 0.5)] }));
  expectRefusal(() => read(text.replace('0.5', digits)).side('rough'), 'non_finite');
  expect(read(text.replace('0.5', `0.${digits}`)).side('rough').scans[0].absorbance).toContain(Number(`0.${digits}`));
  expect(read(text.replace('{', `{"reject_target":${digits},`)).rejectTarget).toBe(Number.POSITIVE_INFINITY);
});

it('says of a stone_id that is too long, or none, what it is', () => {
  const reasonFor = (stone_id: unknown) => () =>
    read(JSON.stringify(claim({ wavenumbers: axis, spectra: [axis.map((_, i) => i)], stone_id }))).side('rough');
  expectRefusal(reasonFor('S'.repeat(70_000)), 'side_shape', 'stone_id is longer than 65536 bytes');
  expectRefusal(reasonFor({}), 'side_shape', 'stone_id is no string');
  expect(reasonFor('S'.repeat(60_000))().references).toEqual(['S'.repeat(64)]);
});

it('reads every number as the runtime does', () => {
  const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    minLength: POINTS,
    maxLength: POINTS,
  });
  fc.assert(
    fc.property(fc.array(numbers, { minLength: 1, maxLength: 3 }), (spectra) => {
      const text = JSON.stringify(claim({ wavenumbers: axis, spectra }));
      const expected = JSON.parse(text).rough.spectra;
      expect(
        read(text)
          .side('rough')
          .scans.map((scan) => Array.from(scan.absorbance)),
      ).toEqual(expected);
    }),
  );
});

describe('a large body', () => {
  const MiB = 1024 * 1024;

  it.each([
    ['of numbers', `{"rough":{"spectra":[[${'0.123456,'.repeat(MiB / 8)}0]]}}`],
    ['of numbers that end in null', `{"rough":{"spectra":[[${'0.123456,'.repeat(MiB / 8)}null]]}}`],
    ['of nulls', `{"a":[${'null,'.repeat(MiB / 8)}0]}`],
    ['of one string', `{"a":"${'x'.repeat(MiB)}"}`],
    ['of short lists', `{"rough":{"spectra":[${'[1],'.repeat(MiB / 8)}[]]}}`],
    ['of members', `{"rough":{${'"a":1,'.repeat(MiB / 8)}"b":1}}`],
  ])('%s is read to its end and refused for its shape', (_, text) => {
    expectRefusal(() => read(text).side('rough'), 'side_shape', 'rough: expected object');
  });

  it('of lists, members or texts without number, or of more numbers than a claim has, is refused unparsed', () => {
    for (const many of ['[],', '"x",', '{},', 'NaN,'])
      expectBody(`{"a":[${many.repeat(MiB / 4)}0]}`, 'invalid_json', 'more than 250000 lists');
    expectBody(`{"a":[${'0,'.repeat(14 * MiB)}0]}`, 'invalid_json', 'more than 13000000 numbers');
  });

  it('of one text that does not end is refused in time', () =>
    expectBody(`{"a":"${'\\"'.repeat(4 * MiB)}`, 'invalid_json', 'cannot be parsed'));

  it('takes no more than the limits allow', () => {
    const small = { ...limits, maxPoints: 100, jsonSpectra: 2 };
    const long = Array.from({ length: 5000 }, (_, i) => i);
    const body = bytes(JSON.stringify(claim({ wavenumbers: long, spectra: [long] })));
    expectRefusal(() => readJsonClaim(body, small).side('rough'), 'axis_shape', '5000');
    const rows = bytes(JSON.stringify(claim({ ...good(), spectra: [1, 2, 3].map(spectrum) })));
    expectRefusal(() => readJsonClaim(rows, small).side('rough'), 'side_shape', 'more than 2');
  });
});

it('names the side asked for', () => {
  for (const side of ['rough', 'polish'] satisfies Side[]) {
    expectRefusal(() => read('{}').side(side), 'side_shape', `${side}: expected object`);
  }
});

it('takes a unit of absorbance alone, and refuses any other by name', () => {
  const claim = (unit: unknown) => {
    const side = { wavenumbers: Array.from({ length: 60 }, (_, i) => 500 + i), spectra: [Array(60).fill(0.5)], unit };
    return readJsonClaim(new Uint8Array(Buffer.from(JSON.stringify({ rough: side, polish: side }))));
  };
  expect(claim('absorbance').side('rough').scans).toHaveLength(1);
  expect(() => claim('milli-absorbance').side('rough')).toThrow(/no parseable spectra: unit is "milli-absorbance"/);
  expect(() => claim(3).side('polish')).toThrow(/unit is no string/);
});
