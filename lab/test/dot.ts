import type { CosineTable } from '../cross-scores.js';

/** Cosines of unit vectors, as plainly as can be. */
export const dot: CosineTable = async (a, rowsA, b, rowsB, width) => {
  const table = new Float32Array(rowsA * rowsB);
  for (let i = 0; i < rowsA; i++)
    for (let j = 0; j < rowsB; j++)
      for (let k = 0; k < width; k++) table[i * rowsB + j] += a[i * width + k] * b[j * width + k];
  return table;
};
