import { ScanMean, VectorMean } from './pool.js';

const meanOf = (...rows: number[][]) => {
  const points = rows[0].length;
  const mean = new ScanMean(points);
  mean.add(Float32Array.from(rows.flat()), 0, rows.length);
  const out = new Float32Array(points);
  mean.write(out);
  return [...out];
};

describe('ScanMean', () => {
  it('is the mean of up to three scans, and from four on without the lowest and the highest value at each point', () => {
    expect(meanOf([1, 2])).toEqual([1, 2]);
    expect(meanOf([1, 2], [3, 4], [8, 0])).toEqual([4, 2]);
    expect(meanOf([1, 2], [3, 4], [8, 0], [5, -90])).toEqual([4, 1]);
    expect(meanOf([1], [2], [3], [4], [5], [1000])).toEqual([3.5]);
  });

  it('gives the same bits in pieces', () => {
    const rows = Float32Array.from({ length: 50 }, (_, i) => Math.sin(i * i));
    const [whole, pieces] = [new ScanMean(5), new ScanMean(5)];
    whole.add(rows, 0, 10);
    pieces.add(rows, 0, 3);
    pieces.add(rows.subarray(15), 0, 7);
    const [a, b] = [new Float32Array(7), new Float32Array(7)];
    whole.write(a, 2);
    pieces.write(b, 2);
    expect(a).toEqual(b);
    expect([...a.subarray(0, 2)]).toEqual([0, 0]);
  });
});

it('VectorMean has length one, but of zeros', () => {
  const mean = new VectorMean(2);
  mean.add(Float32Array.of(9, 9, 3, 0, 0, 4), 1, 2);
  expect([...mean.unit()]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
  expect([...new VectorMean(2).unit()]).toEqual([0, 0]);
});
