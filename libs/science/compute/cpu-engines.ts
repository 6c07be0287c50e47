import { type Compute, checkPerceptron, checkShape, type DenseLayer, unitRows } from './port.js';
import { SimdKernel } from './simd-kernel.js';

/** The WebAssembly SIMD kernel behind the port. Works on the calling thread. */
export function simdCompute(kernel = SimdKernel.create()): Compute {
  return {
    name: 'simd',
    async perceptron(perceptron) {
      const packed = kernel.packPerceptron(perceptron);
      return { apply: async (batch, rows) => kernel.perceptron(batch, rows, packed), release: () => packed.release() };
    },
    async cosines(a, rowsA, b, rowsB, width) {
      const left = unitRows(a, rowsA, width);
      return kernel.productRightTransposed(left, unitRows(b, rowsB, width), rowsA, width, rowsB);
    },
    async close() {},
  };
}

const gelu = (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));

/** activation(batch . weights + bias), summed in float64 and rounded once. */
function dense({ inputs, outputs, weights, bias, activation }: DenseLayer, batch: Float32Array, rows: number) {
  const result = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const sums = Float64Array.from(bias.subarray(0, outputs));
    for (let i = 0; i < inputs; i++) {
      const value = batch[row * inputs + i];
      for (let j = 0; j < outputs; j++) sums[j] += value * weights[i * outputs + j];
    }
    result.set(activation === 'gelu' ? sums.map(gelu) : sums, row * outputs);
  }
  return result;
}

/** Plain TypeScript, in float64 within a layer: the truth that the others are held to. */
export function plainCompute(): Compute {
  return {
    name: 'plain',
    async perceptron(perceptron) {
      checkPerceptron(perceptron);
      const { linear, hidden, output } = structuredClone(perceptron);
      let released = false;
      return {
        async apply(batch, rows) {
          if (released) throw new TypeError('the perceptron was released');
          checkShape('batch', batch, rows, linear.inputs);
          const sums = dense(output, dense(hidden, batch, rows), rows);
          const straight = dense(linear, batch, rows);
          for (let i = 0; i < sums.length; i++) sums[i] += straight[i];
          return unitRows(sums, rows, output.outputs);
        },
        release() {
          released = true;
        },
      };
    },
    async cosines(a, rowsA, b, rowsB, width) {
      checkShape('vectors', a, rowsA, width);
      checkShape('vectors', b, rowsB, width);
      const dot = (x: Float32Array, i: number, y: Float32Array, j: number) => {
        let sum = 0;
        for (let k = 0; k < width; k++) sum += x[i * width + k] * y[j * width + k];
        return sum;
      };
      const norms = (x: Float32Array, rows: number) =>
        Float64Array.from({ length: rows }, (_, i) => Math.sqrt(dot(x, i, x, i)));
      const [normsA, normsB] = [norms(a, rowsA), norms(b, rowsB)];
      const table = new Float32Array(rowsA * rowsB);
      for (let i = 0; i < rowsA; i++) {
        for (let j = 0; j < rowsB; j++) {
          const scale = normsA[i] * normsB[j];
          table[i * rowsB + j] = scale === 0 ? 0 : dot(a, i, b, j) / scale;
        }
      }
      return table;
    },
    async close() {},
  };
}
