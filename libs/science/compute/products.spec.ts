import { productsOfRows } from './products.js';

it.each([
  [1, 1, 3],
  [2, 4, 5],
  [5, 7, 6],
  [4, 3, 1],
  [0, 4, 2],
])('gives the bits of one sum after the other: %s rows with %s, of %s numbers', (rows, columns, width) => {
  const left = Float64Array.from({ length: rows * width }, (_, i) => Math.sqrt(i + 2) * (i % 3 ? 1 : -1e8));
  const right = Float32Array.from({ length: columns * width }, (_, i) => Math.cbrt(i + 3) * (i % 2 ? 1e-3 : 1));
  const expected = Float64Array.from({ length: rows * columns }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    let sum = 0;
    for (let j = 0; j < width; j++) sum += left[row * width + j] * right[column * width + j];
    return sum;
  });
  const out = new Float64Array(rows * columns);
  productsOfRows(left, right, width, out);
  expect(out).toEqual(expected);
});
