import { VECTOR } from '#science/matching/model';
import { addSquare, generalisedEigen } from '#science/numerics/eigen';

/**
 * The linear encoder in closed form: directions along which sides of one stone agree and stones differ, the
 * generalised eigenvectors of the symmetrised cross-side covariance C against the within-pair covariance W.
 * A direction has within-pair variance one and is then scaled by lambda / (1 + lambda).
 * @param rough mean of each stone's preprocessed rough scans, stones x inputs
 * @param polish mean of each stone's preprocessed polish scans, stones x inputs
 * @param shrinkage of the within-pair covariance towards its mean variance; more where there are few stones
 * @returns weights (inputs x 256) and bias (256), such that z = normalise(scan . weights + bias)
 */
export function closedForm(
  rough: Float32Array,
  polish: Float32Array,
  stones: number,
  inputs: number,
  { vector = VECTOR, shrinkage = 0.05 } = {},
): { weights: Float32Array; bias: Float32Array } {
  const mean = new Float64Array(inputs);
  for (let at = 0; at < stones * inputs; at++) mean[at % inputs] += (rough[at] + polish[at]) / (2 * stones);
  const sum = new Float32Array(inputs);
  const difference = new Float32Array(inputs);
  const sums = new Float64Array(inputs * inputs);
  const differences = new Float64Array(inputs * inputs);
  for (let s = 0; s < stones; s++) {
    for (let i = 0; i < inputs; i++) {
      const r = rough[s * inputs + i];
      const p = polish[s * inputs + i];
      sum[i] = (r + p) / 2 - mean[i];
      difference[i] = (r - p) / 2;
    }
    addSquare(sums, sum, 1);
    addSquare(differences, difference, 1);
  }
  // E[(r-m)(p-m)'] symmetrised = E[ss'] - E[dd'] and E[(r-p)(r-p)'] / 2 = 2 E[dd'], s and d half sum and difference.
  const cross = new Float64Array(inputs * inputs);
  const within = new Float64Array(inputs * inputs);
  let trace = 0;
  for (let i = 0; i < inputs; i++) trace += (2 * differences[i * inputs + i]) / stones / inputs;
  for (let i = 0; i < inputs; i++) {
    for (let j = 0; j <= i; j++) {
      const d = differences[i * inputs + j] / stones;
      const c = sums[i * inputs + j] / stones - d;
      const w = (1 - shrinkage) * 2 * d + (i === j ? shrinkage * trace : 0);
      cross[i * inputs + j] = cross[j * inputs + i] = c;
      within[i * inputs + j] = within[j * inputs + i] = w;
    }
  }
  const { values, vectors } = generalisedEigen(cross, within, inputs);
  const weights = new Float32Array(inputs * vector);
  const bias = new Float32Array(vector);
  for (let k = 0; k < vector; k++) {
    const place = inputs - 1 - k;
    const lambda = Math.max(0, values[place] ?? 0);
    for (let i = 0; i < inputs; i++) {
      const weight = place < 0 ? 0 : (vectors[place * inputs + i] * lambda) / (1 + lambda);
      weights[i * vector + k] = weight;
      bias[k] -= weight * mean[i];
    }
  }
  return { weights, bias };
}
