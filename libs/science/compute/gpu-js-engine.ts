import type { IKernelFunctionThis } from 'gpu.js';
import {
  type Compute,
  checkPerceptron,
  checkShape,
  type DenseLayer,
  type HeldPerceptron,
  type Perceptron,
  unitRows,
} from './port.js';
import { installWebGpu } from './webgpu.js';

/** Values of output at a time: bounds the device's buffers and what one dispatch may take. */
const CHUNK_VALUES = 1 << 22;
/**
 * Rows of a pass on a card: it computes some more and drops them. gpu.js keeps the first three buffers that it makes to read results
 * back; a pass that needs a larger one makes it each time, which takes several times as long as the pass.
 */
const PASS_ROWS = [16, 128, 512];

type Sizes = { inputs: number; outputs: number };
type Sums = Sizes & { size: number; linearWeights: number[]; hiddenWeights: number[]; bias: number[] };
/** A result that lies on the device. */
type Kept = { delete(): void };
type Weights = Sizes & { weights: number[]; bias: number[] };

// Kernel sources: gpu.js reads their text, so nothing from outside may be named. Flat indices work for every batch.
/** In columns behind its outputs, where there are any, the row as it came. */
function denseGelu(this: IKernelFunctionThis<Weights>, batch: number[]): number {
  if (this.thread.x >= this.constants.outputs) {
    return batch[this.thread.y * this.constants.inputs + this.thread.x - this.constants.outputs];
  }
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

/** Of rows with hidden values and behind them the input: both ways to the output, added up. */
function denseSum(this: IKernelFunctionThis<Sums>, rows: number[]): number {
  const start = this.thread.y * (this.constants.size + this.constants.inputs);
  let sum = 0;
  for (let i = 0; i < this.constants.size; i++) {
    sum += rows[start + i] * this.constants.hiddenWeights[i * this.constants.outputs + this.thread.x];
  }
  let straight = 0;
  for (let i = 0; i < this.constants.inputs; i++) {
    straight +=
      rows[start + this.constants.size + i] * this.constants.linearWeights[i * this.constants.outputs + this.thread.x];
  }
  return sum + straight + this.constants.bias[this.thread.x];
}

/** gpu.js on a WebGPU adapter, behind the port. Rejects where it cannot start. */
export async function gpuJsCompute(): Promise<Compute> {
  await installWebGpu();
  const { default: gpuJs } = await import('gpu.js');
  const { GPU, Input } = gpuJs;
  if (!(await GPU.isWebGPUAvailable())) throw new Error('no WebGPU adapter was found');
  const gpu = new GPU({ mode: 'webgpu' });
  const flat = (values: Float32Array) => new Input(values as unknown as number[], [values.length]);

  /** A kernel of rows. A call resizes its output: the next one waits for its end. @param keeps leaves results on the device */
  function rowsKernel<T = Float32Array[]>(
    source: (...operands: never[]) => number,
    constants: Record<string, unknown>,
    outputs: number,
    keeps = false,
  ) {
    const kernel = gpu.createKernel(source.toString(), {
      constants,
      strictIntegers: true,
      dynamicArguments: true,
      dynamicOutput: true,
      pipeline: keeps,
      output: [outputs, 1],
    });
    return {
      async run(rows: number, ...operands: unknown[]): Promise<T> {
        kernel.setOutput([outputs, rows]);
        return (await kernel(...(operands as never[]))) as T;
      },
      destroy: () => kernel.destroy(),
    };
  }

  /** Calls `pass` on chunks of the rows, one after another. @param widest most values of a row on the device */
  function inTurns(
    width: number,
    outputs: number,
    pass: (part: Float32Array, rows: number) => Promise<Float32Array[]>,
    widest = outputs,
  ) {
    const most = Math.max(1, Math.floor(CHUNK_VALUES / widest));
    const chunk = Math.min(most, PASS_ROWS[PASS_ROWS.length - 1]);
    const rowsFor = (count: number) => Math.min(chunk, PASS_ROWS.find((size) => size >= count) ?? count);
    let turn: Promise<unknown> = Promise.resolve();
    return async (batch: Float32Array, rows: number): Promise<Float32Array> => {
      const result = new Float32Array(rows * outputs);
      for (let row = 0; row < rows; row += chunk) {
        const count = Math.min(chunk, rows - row);
        const part = batch.subarray(row * width, (row + count) * width);
        const mine = turn.then(() => pass(part, rowsFor(count)));
        turn = mine.catch(() => undefined);
        const lines = await mine;
        for (let i = 0; i < count; i++) result.set(lines[i], (row + i) * outputs);
      }
      return result;
    };
  }

  const constantsOf = ({ inputs, outputs, weights, bias }: DenseLayer) => ({
    ...{ inputs, outputs },
    weights: flat(weights.slice(0, inputs * outputs)),
    bias: flat(bias.slice(0, outputs)),
  });

  /** A batch goes to the device once, and sums alone come back: each way takes longer than the products. */
  function chained(perceptron: Perceptron): HeldPerceptron {
    checkPerceptron(perceptron);
    const { linear, hidden, output } = perceptron;
    const { inputs, outputs } = linear;
    const width = hidden.outputs + inputs;
    const first = rowsKernel<Kept>(denseGelu, constantsOf(hidden), width, true);
    const bias = linear.bias.slice(0, outputs).map((value, i) => value + output.bias[i]);
    const second = rowsKernel(
      denseSum,
      {
        ...{ inputs, outputs, size: output.inputs, bias: flat(bias) },
        linearWeights: flat(linear.weights.slice(0, inputs * outputs)),
        hiddenWeights: flat(output.weights.slice(0, output.inputs * outputs)),
      },
      outputs,
    );
    const pass = async (part: Float32Array, rows: number) => {
      const kept = await first.run(rows, flat(part));
      try {
        return await second.run(rows, kept);
      } finally {
        kept.delete();
      }
    };
    const run = inTurns(inputs, outputs, pass, width);
    let released = false;
    return {
      async apply(batch, rows) {
        // gpu.js would quietly build a destroyed kernel again.
        if (released) throw new TypeError('the perceptron was released');
        checkShape('batch', batch, rows, inputs);
        // It is read late, and its owner need not keep it.
        const sums = await run(batch.slice(0, rows * inputs), rows);
        return unitRows(sums, rows, outputs);
      },
      release() {
        if (!released) for (const kernel of [first, second]) kernel.destroy();
        released = true;
      },
    };
  }

  return {
    name: 'webgpu',
    perceptron: async (perceptron) => chained(perceptron),
    async cosines(a, rowsA, b, rowsB, width) {
      const [left, right] = [unitRows(a, rowsA, width), unitRows(b, rowsB, width)];
      if (rowsA === 0 || rowsB === 0) return new Float32Array(0);
      const kernel = rowsKernel(innerProducts, { inputs: width, outputs: rowsB }, rowsB);
      try {
        return await inTurns(width, rowsB, (part, rows) => kernel.run(rows, flat(part), flat(right)))(left, rowsA);
      } finally {
        kernel.destroy();
      }
    },
    close: () => gpu.destroy(),
  };
}
