import { Ordinates } from './ordinates.js';

/** Float32 widened to float64, as some exports are: the lower four bytes of each are zero. */
const scan = [0.5, 0.25, 0.75, 0.1, 0.2, 0.3].map(Math.fround);
const doubles = (values: number[]) => Buffer.from(Float64Array.from(values).buffer);
const found = (bytes: Buffer) => {
  const ordinates = new Ordinates();
  ordinates.add(scan);
  return ordinates.findIn(bytes);
};

it('takes one widened float32 for chance, as in the header of a database page, and two side by side for a spectrum', () => {
  const header = Buffer.concat([Buffer.alloc(3, 0xa5), doubles([scan[2]]), Buffer.alloc(90, 0x5a)]);
  expect(found(header)).toBeUndefined();
  expect(found(doubles(scan.slice(2, 4)))).toMatch(/^float64 0[.]75/);
  expect(found(Buffer.concat([Buffer.alloc(5, 1), doubles(scan.slice(4))]))).toMatch(/^float64/);
});

it('finds a float64 alone, a pair of float32, decimal text, and each in base64', () => {
  const full = new Ordinates();
  full.add([Math.PI / 4, Math.E / 4]);
  const single = Buffer.from(Float32Array.from([Math.PI / 4, Math.E / 4]).buffer);
  const base64 = Buffer.concat([Buffer.alloc(60, 7), doubles([Math.PI / 4])]).toString('base64');
  expect(full.findIn(doubles([Math.PI / 4]))).toMatch('float64');
  expect(full.findIn(single)).toMatch('float32');
  expect(full.findIn(Buffer.from(`{"y":${Math.PI / 4}}`))).toMatch('decimal text');
  expect(full.findIn(Buffer.from(base64))).toMatch('in base64');
});

it('takes the edge of a bin of scores for chance', () => {
  const full = new Ordinates();
  full.add([23154 / 32768, Math.fround(0.7)]);
  expect(full.findIn(Buffer.from(`{"score":${23154 / 32768}}`))).toBeUndefined();
  expect(full.findIn(Buffer.from(`{"score":${Math.fround(0.7)}}`))).toMatch('decimal text');
});
