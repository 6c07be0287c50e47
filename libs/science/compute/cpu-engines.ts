import { composedPerceptron } from './perceptron.js';
import { type Compute, checkLayer, checkShape, unitRows } from './port.js';
import { SimdKernel } from './simd-kernel.js';

/** The WebAssembly SIMD kernel behind the port. Works on the calling thread. */
export function simdCompute(kernel = SimdKernel.create()): Compute {
  return {
    name: 'simd',
    async layer(layer) {
      const packed = kernel.packLayer(layer);
      return {
        apply: async (batch, rows) => kernel.dense(batch, rows, packed),
        release: () => packed.release(),
      };
    },
    async perceptron(perceptron) {
      const packed = kernel.packPerceptron(perceptron);
      return {
        apply: async (batch, rows) => kernel.perceptron(batch, rows, packed),
        release: () => packed.release(),
      };
    },
    async cosines(a, rowsA, b, rowsB, width) {
      const left = unitRows(a, rowsA, width);
      return kernel.productRightTransposed(left, unitRows(b, rowsB, width), rowsA, width, rowsB);
    },
    async close() {},
  };
}

const gelu = (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));

/** Plain TypeScript, summed in float64 and rounded once at the end: the truth that the others are held to. */
export function plainCompute(): Compute {
  const engine: Compute = {
    name: 'plain',
    async layer(layer) {
      checkLayer(layer);
      const { inputs, outputs, activation } = layer;
      const weights = layer.weights.slice(0, inputs * outputs);
      const bias = layer.bias.slice(0, outputs);
      let released = false;
      return {
        async apply(batch, rows) {
          if (released) throw new TypeError('the layer was released');
          checkShape('batch', batch, rows, inputs);
          const result = new Float32Array(rows * outputs);
          for (let row = 0; row < rows; row++) {
            const sums = Float64Array.from(bias);
            for (let i = 0; i < inputs; i++) {
              const value = batch[row * inputs + i];
              for (let j = 0; j < outputs; j++) sums[j] += value * weights[i * outputs + j];
            }
            result.set(activation === 'gelu' ? sums.map(gelu) : sums, row * outputs);
          }
          return result;
        },
        release() {
          released = true;
        },
      };
    },
    perceptron: (perceptron) => composedPerceptron(engine, perceptron),
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
  return engine;
}
