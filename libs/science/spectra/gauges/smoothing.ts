/** Weights of a Savitzky-Golay smoothing filter: value at the centre of the least-squares polynomial over `points`. */
export function savitzkyGolayTaps(points: number, order: number): number[] {
  const centre = (points - 1) / 2;
  const positions = Array.from({ length: points }, (_, j) => (j - centre) / centre);
  // Orthogonal polynomials over the points (Gram-Schmidt); the weight is the sum of p(x) p(0) / |p|^2.
  const basis: number[][] = [];
  for (let degree = 0; degree <= order; degree++) {
    const row = positions.map((x) => x ** degree);
    for (const other of basis) {
      const share = inner(row, other) / inner(other, other);
      for (let j = 0; j < points; j++) row[j] -= share * other[j];
    }
    basis.push(row);
  }
  return positions.map((_, j) => basis.reduce((sum, p) => sum + (p[j] * p[centre]) / inner(p, p), 0));
}

function inner(a: number[], b: number[]): number {
  return a.reduce((sum, v, j) => sum + v * b[j], 0);
}
