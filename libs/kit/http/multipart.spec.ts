import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyBudget } from './body-budget.js';
import { WholeDelimiters } from './delimiters.js';
import { readForm } from './multipart.js';

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

it('reads every file whole, however the network cuts the body', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
      async (files, cuts) => {
        const body = bodyOf(files);
        const request = new PassThrough() as unknown as IncomingMessage & PassThrough;
        request.headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
        const response = new PassThrough() as unknown as ServerResponse;
        const reading = readForm({ request, response, by: 'a' }, limits, new BodyBudget(2 ** 26));
        for (let at = 0, n = 0; at < body.length; n++) {
          const size = cuts[n % cuts.length];
          request.write(Buffer.from(body.subarray(at, at + size)));
          at += size;
          if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        request.end();
        const { files: read } = await reading;
        expect(read.map(({ data }) => Buffer.from(data).toString('latin1'))).toEqual(
          files.map((data) => data.toString('latin1')),
        );
      },
    ),
    { numRuns: 200 },
  );
});

it('passes every byte on, and no piece but the last ends like a delimiter begins', () => {
  const delimiter = Buffer.from(`\r\n--${BOUNDARY}`);
  fc.assert(
    fc.property(fc.array(content), (chunks) => {
      const pieces: Buffer[] = [];
      const feed = new WholeDelimiters(delimiter, (piece) => pieces.push(piece));
      for (const chunk of chunks) feed.add(chunk);
      const before = pieces.length;
      feed.end();
      expect(Buffer.concat(pieces).equals(Buffer.concat(chunks))).toBe(true);
      for (const piece of pieces.slice(0, before)) {
        for (let n = 1; n < delimiter.length; n++) {
          expect(piece.length >= n && piece.subarray(-n).equals(delimiter.subarray(0, n))).toBe(false);
        }
      }
    }),
  );
});
