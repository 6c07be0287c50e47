import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PartCount } from './delimiters.js';

const counted = (body: Buffer, cuts: number[], type = 'multipart/form-data; boundary=b0') => {
  const parts = new PartCount(type);
  const at = [...new Set(cuts.map((cut) => cut % (body.length + 1)))].sort((a, b) => a - b);
  for (const [i, from] of [0, ...at].entries()) parts.add(body.subarray(from, [...at, body.length][i]));
  return parts.count;
};

it('counts the parts however the body is cut into chunks, and nothing after the end', () => {
  const content = fc.array(fc.constantFrom('\r\n', '--', 'b0', '-', '\r', '\r\n-', 'x'), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(content, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (contents, cuts) => {
      // A content that would itself be a delimiter is none.
      const texts = contents.map((pieces) => pieces.join('').replaceAll('--b0', '--c0'));
      const body = `${texts.map((text) => `--b0\r\nA: b\r\n\r\n${text}.\r\n`).join('')}--b0--\r\n--b0\r\nepilogue`;
      expect(counted(Buffer.from(body), cuts)).toBe(texts.length);
    }),
  );
});

it.each([
  ['a quoted boundary', 'multipart/form-data; charset=utf-8; boundary="b 0"', '--b 0\r\n\r\n\r\n--b 0--', 1],
  ['a preamble', 'multipart/form-data; boundary=b', 'before\r\n--b\r\n\r\nx\r\n--b\r\n\r\n\r\n--b--', 2],
  ['no boundary', 'multipart/form-data', 'text', 0],
])('reads %s', (_, type, body, count) => {
  expect(counted(Buffer.from(body), [3], type)).toBe(count);
});
