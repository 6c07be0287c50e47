/**
 * The one-to-one assignment of rows to columns with the largest total profit; rows and columns may stay free. Shortest
 * augmenting paths with potentials (Jonker and Volgenant, Computing 38, 325); O(n^3), exact.
 * @param profit rows x columns; what is not above 0 is never assigned
 * @returns for each row its column, or -1
 */
export function assign(profit: Float64Array, rows: number, columns: number): Int32Array {
  // Each row has a place of its own to stay free at no profit: columns + row.
  const width = columns + rows;
  const cost = (row: number, column: number) =>
    column < columns ? -Math.max(0, profit[row * columns + column]) : column - columns === row ? 0 : 1e300;
  const rowPotential = new Float64Array(rows + 1);
  const columnPotential = new Float64Array(width + 1);
  /** Row (from 1) that holds each column (from 1), 0 for none. */
  const holder = new Int32Array(width + 1);
  const before = new Int32Array(width + 1);
  for (let row = 1; row <= rows; row++) {
    holder[0] = row;
    let at = 0;
    const minReduced = new Float64Array(width + 1).fill(Number.POSITIVE_INFINITY);
    const seen = new Uint8Array(width + 1);
    do {
      seen[at] = 1;
      const held = holder[at];
      let step = Number.POSITIVE_INFINITY;
      let next = 0;
      for (let column = 1; column <= width; column++) {
        if (seen[column]) continue;
        const reduced = cost(held - 1, column - 1) - rowPotential[held] - columnPotential[column];
        if (reduced < minReduced[column]) {
          minReduced[column] = reduced;
          before[column] = at;
        }
        if (minReduced[column] < step) {
          step = minReduced[column];
          next = column;
        }
      }
      for (let column = 0; column <= width; column++) {
        if (seen[column]) {
          rowPotential[holder[column]] += step;
          columnPotential[column] -= step;
        } else minReduced[column] -= step;
      }
      at = next;
    } while (holder[at] !== 0);
    while (at !== 0) {
      holder[at] = holder[before[at]];
      at = before[at];
    }
  }
  const assigned = new Int32Array(rows).fill(-1);
  for (let column = 1; column <= columns; column++) {
    const row = holder[column] - 1;
    if (row >= 0 && profit[row * columns + column - 1] > 0) assigned[row] = column - 1;
  }
  return assigned;
}
