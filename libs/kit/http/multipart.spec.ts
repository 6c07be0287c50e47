import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { BodyBudget } from './body-budget.js';
import { type Form, readForm } from './multipart.js';
import { MultipartParser } from './multipart-parser.js';
import type { Problem } from './problem.js';

const BOUNDARY = 'a-boundary-of-this-test';
const limits = { maxBytes: 2 ** 24, timeoutMs: 10_000, maxFiles: 100 };

/** Content that is full of what begins like a delimiter. */
const content = fc
  .array(
    fc.oneof(
      fc.constantFrom('\r', '\r\n', '\r\n-', '\r\n--', `\r\n--${BOUNDARY.slice(0, 9)}`, '\n', '--'),
      fc.string({ maxLength: 30 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.from(parts.join('')));

function bodyOf(files: Buffer[]): Buffer {
  const parts = files.map((data, i) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="${i}.bin"\r\n\r\n`),
      data,
      Buffer.from('\r\n'),
    ]),
  );
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Reads a body that comes in pieces of these sizes. */
async function readIn(body: Buffer, cuts: number[], type = `multipart/form-data; boundary=${BOUNDARY}`) {
  const request = new PassThrough() as unknown as IncomingMessage & PassThrough;
  request.headers = { 'content-type': type };
  const response = new PassThrough() as unknown as ServerResponse;
  const reading = readForm({ request, response, by: 'a' }, limits, new BodyBudget(2 ** 26));
  let sent = 0;
  let refused = false;
  reading.catch(() => {
    refused = true;
  });
  for (let n = 0; sent < body.length && !refused; n++) {
    const size = cuts[n % cuts.length];
    request.write(Buffer.from(body.subarray(sent, sent + size)));
    sent += size;
    if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  // The reader may rest while more is written.
  const taken = sent - request.readableLength - request.writableLength;
  request.end();
  return { form: await reading.catch((error: Problem) => error.message), taken };
}

it('reads every file whole, however the network cuts the body', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 6 }),
      // Long pieces are kept as they come, short ones are copied together.
      fc.array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1_000, max: 5_000 })), { minLength: 1 }),
      async (files, cuts) => {
        const { form } = await readIn(bodyOf(files), cuts);
        expect((form as Form).files.map(({ data }) => Buffer.from(data).toString('latin1'))).toEqual(
          files.map((data) => data.toString('latin1')),
        );
      },
    ),
    { numRuns: 200 },
  );
});

it('goes on where its time was over, in the middle of a piece', () => {
  const parser = new MultipartParser(`multipart/form-data; boundary=${BOUNDARY}`, 100);
  const files = Array.from({ length: 50 }, (_, n) => Buffer.from(`file ${n}`));
  let turns = 1;
  for (let more = parser.take(bodyOf(files), 0); more; turns++) more = parser.take(undefined, 0);
  parser.end();
  expect(turns).toBe(51);
  expect(parser.parts.map(({ content }) => Buffer.concat(content.pieces).toString())).toEqual(files.map(String));
});

it.each<[string, string, string, Partial<Form>]>([
  [
    'a quoted boundary, blanks behind it, text before and after',
    'multipart/form-data; charset=utf-8; boundary="b 0"',
    'before\r\n--b 0 \t\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b 0--\r\n--b 0\r\nafter',
    { fields: [{ name: 'a', value: 'x' }], files: [] },
  ],
  [
    'names in every way that they are written, without their paths',
    'multipart/form-data; boundary=b',
    ['"a \\"b\\".csv"', '"C:\\x\\c.csv"', "ignored; filename*=UTF-8''%C3%A4.csv", '"ü.csv"', '".."']
      .map((name) => `--b\r\nContent-Disposition: form-data;\r\n name="f"; filename=${name}\r\n\r\n1\r\n`)
      .join('')
      .concat('--b--'),
    {
      files: ['a "b".csv', 'c.csv', 'ä.csv', 'ü.csv', ''].map((name) => ({
        field: 'f',
        name,
        data: Uint8Array.of(49),
      })),
    },
  ],
  [
    'a field in another charset, and bytes as a file',
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="a"\r\ncontent-type: text/plain; charset=utf-16le\r\n\r\nx\0\r\n' +
      '--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n--b--',
    { fields: [{ name: 'a', value: 'x' }], files: [{ field: 'f', name: '', data: Uint8Array.of(49) }] },
  ],
])('reads %s', async (_, type, text, expected) => {
  expect((await readIn(Buffer.from(text), [7], type)).form).toEqual({ fields: [], files: [], ...expected });
});

const FIELD = 'Content-Disposition: form-data; name="a"\r\n\r\n';
const FILE = 'Content-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
it.each([
  ['parts without a header', '\r\n\r\n', /header of a part/],
  ['parts of nothing at all', '', /header of a part/],
  ['a header without an end', 'A: b\r\n'.repeat(2_000), /header of a part/],
  ['parts without a field', 'A: b\r\n\r\n', /header of a part/],
  ['more fields than allowed', FIELD, /at most 16 fields/],
  ['more files than allowed', FILE, /at most 100 files/],
])('refuses %s at the first one, and reads no further', async (_, part, why) => {
  const body = Buffer.from(`--${BOUNDARY}${part === '' ? '' : '\r\n'}${part}\r\n`.repeat(20_000));
  const { form, taken } = await readIn(body, [1_000]);
  expect(form).toMatch(why);
  expect(taken).toBeLessThan(100_000);
});

it.each([
  ['no boundary', 'multipart/form-data', 'x', /names no boundary/],
  ['a boundary that is a text of its own', `multipart/form-data; boundary=${'b'.repeat(71)}`, 'x', /longer than 70/],
  ['another boundary', 'multipart/form-data; boundary=b', 'x'.repeat(20_000), /does not begin with its boundary/],
])('refuses %s', async (_, type, text, why) => {
  // A content type without a boundary is refused before anything is read.
  await expect(readIn(Buffer.from(text), [500], type).then(({ form }) => form)).resolves.toMatch(why);
});
