import type { IKernelFunctionThis } from 'gpu.js';
import { composedPerceptron } from './perceptron.js';
import { type Activation, type Compute, checkLayer, checkShape, unitRows } from './port.js';
import { installWebGpu } from './webgpu.js';

/** Values of output at a time: bounds the device's buffers and what one dispatch may take. */
const CHUNK_VALUES = 1 << 22;

type Sizes = { inputs: number; outputs: number };
type Weights = Sizes & { weights: number[]; bias: number[] };

// Kernel sources: gpu.js reads their text, so nothing from outside may be named. Flat indices work for every batch.
function dense(this: IKernelFunctionThis<Weights>, batch: number[]): number {
  let sum = 0;
  for (let i = 0; i < this.constants.inputs; i++) {
    sum +=
      batch[this.thread.y * this.constants.inputs + i] *
      this.constants.weights[i * this.constants.outputs + this.thread.x];
  }
  return sum + this.constants.bias[this.thread.x];
}

function denseGelu(this: IKernelFunctionThis<Weights>, batch: number[]): number {
  let sum = 0;
  for (let i = 0; i < this.constants.inputs; i++) {
    sum +=
      batch[this.thread.y * this.constants.inputs + i] *
      this.constants.weights[i * this.constants.outputs + this.thread.x];
  }
  const x = sum + this.constants.bias[this.thread.x];
  // (1 + tanh u) / 2 as a logistic function of 2u, inside float32's range
  const t = Math.max(-80, Math.min(80, -1.5957691216 * x * (1 + 0.044715 * x * x)));
  return Math.max(x, -10) / (1 + Math.exp(t));
}

function innerProducts(this: IKernelFunctionThis<Sizes>, a: number[], b: number[]): number {
  let sum = 0;
  for (let i = 0; i < this.constants.inputs; i++) {
    sum += a[this.thread.y * this.constants.inputs + i] * b[this.thread.x * this.constants.inputs + i];
  }
  return sum;
}

const SOURCES: Record<Activation, typeof dense> = { identity: dense, gelu: denseGelu };

/** gpu.js behind the port: on a WebGPU adapter, or as generated JavaScript on the CPU. Rejects where it cannot start. */
export async function gpuJsCompute(name: 'webgpu' | 'gpu-cpu'): Promise<Compute> {
  if (name === 'webgpu') await installWebGpu();
  const { default: gpuJs } = await import('gpu.js');
  const { GPU, Input } = gpuJs;
  if (name === 'webgpu' && !(await GPU.isWebGPUAvailable())) throw new Error('no WebGPU adapter was found');
  const gpu = new GPU({ mode: name === 'webgpu' ? 'webgpu' : 'cpu' });
  const flat = (values: Float32Array) => new Input(values as unknown as number[], [values.length]);

  /** A kernel with its turn: resizing its output must wait until the call before is done. */
  function rowsKernel(source: (...operands: never[]) => number, constants: Record<string, unknown>, outputs: number) {
    const kernel = gpu.createKernel(source.toString(), {
      constants,
      strictIntegers: true,
      dynamicArguments: true,
      dynamicOutput: true,
      output: [outputs, 1],
    });
    let turn: Promise<unknown> = Promise.resolve();
    const call = async (rows: number, operands: Float32Array[]) => {
      kernel.setOutput([outputs, rows]);
      const lines = (await kernel(...operands.map(flat))) as Float32Array[];
      const result = new Float32Array(rows * outputs);
      for (const [row, line] of lines.entries()) result.set(line, row * outputs);
      return result;
    };
    return {
      async run(a: Float32Array, rows: number, width: number, ...more: Float32Array[]): Promise<Float32Array> {
        const result = new Float32Array(rows * outputs);
        const chunk = Math.max(1, Math.floor(CHUNK_VALUES / outputs));
        for (let row = 0; row < rows; row += chunk) {
          const count = Math.min(chunk, rows - row);
          const part = a.subarray(row * width, (row + count) * width);
          const mine = turn.then(() => call(count, [part, ...more]));
          turn = mine.catch(() => undefined);
          result.set(await mine, row * outputs);
        }
        return result;
      },
      destroy: () => kernel.destroy(),
    };
  }

  const engine: Compute = {
    name,
    async layer(layer) {
      checkLayer(layer);
      const { inputs, outputs, activation } = layer;
      const weights = flat(layer.weights.slice(0, inputs * outputs));
      const bias = flat(layer.bias.slice(0, outputs));
      const kernel = rowsKernel(SOURCES[activation], { inputs, outputs, weights, bias }, outputs);
      let released = false;
      return {
        async apply(batch, rows) {
          // gpu.js would quietly build a destroyed kernel again.
          if (released) throw new TypeError('the layer was released');
          checkShape('batch', batch, rows, inputs);
          return kernel.run(batch, rows, inputs);
        },
        release() {
          if (!released) kernel.destroy();
          released = true;
        },
      };
    },
    perceptron: (perceptron) => composedPerceptron(engine, perceptron),
    async cosines(a, rowsA, b, rowsB, width) {
      const [left, right] = [unitRows(a, rowsA, width), unitRows(b, rowsB, width)];
      if (rowsA === 0 || rowsB === 0) return new Float32Array(0);
      const kernel = rowsKernel(innerProducts, { inputs: width, outputs: rowsB }, rowsB);
      try {
        return await kernel.run(left, rowsA, width, right);
      } finally {
        kernel.destroy();
      }
    },
    close: () => gpu.destroy(),
  };
  return engine;
}
