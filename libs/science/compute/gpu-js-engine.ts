import type { GPU, IKernelFunctionThis, IKernelRunShortcut, Input } from 'gpu.js';
import { type Compute, checkPerceptron, checkShape, type HeldPerceptron, type Perceptron, unitRows } from './port.js';
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
  if (!(await gpuJs.GPU.isWebGPUAvailable())) throw new Error('no WebGPU adapter was found');
  const flat = (values: Float32Array) => new gpuJs.Input(values as unknown as number[], [values.length]);
  return new GpuJsCompute(new gpuJs.GPU({ mode: 'webgpu' }), flat);
}

type Flat = (values: Float32Array) => Input;

class GpuJsCompute implements Compute {
  readonly name = 'webgpu';

  /** @param flat values as an operand of a kernel */
  constructor(
    private readonly gpu: GPU,
    private readonly flat: Flat,
  ) {}

  async perceptron(perceptron: Perceptron): Promise<HeldPerceptron> {
    return new HeldOnDevice(this.gpu, this.flat, perceptron);
  }

  async cosines(a: Float32Array, rowsA: number, b: Float32Array, rowsB: number, width: number): Promise<Float32Array> {
    const [left, right] = [unitRows(a, rowsA, width), unitRows(b, rowsB, width)];
    if (rowsA === 0 || rowsB === 0) return new Float32Array(0);
    const kernel = new RowsKernel(this.gpu, innerProducts, { inputs: width, outputs: rowsB }, rowsB);
    const passes = new Passes(width, rowsB, (part, rows) => kernel.run(rows, this.flat(part), this.flat(right)));
    try {
      return await passes.run(left, rowsA);
    } finally {
      kernel.destroy();
    }
  }

  close() {
    return this.gpu.destroy();
  }
}

/** A batch goes to the device once, and sums alone come back: each way takes longer than the products. */
class HeldOnDevice implements HeldPerceptron {
  private readonly hidden: RowsKernel<Kept>;
  private readonly sums: RowsKernel;
  private readonly passes: Passes;
  private released = false;

  constructor(
    gpu: GPU,
    private readonly flat: Flat,
    private readonly described: Perceptron,
  ) {
    checkPerceptron(described);
    const { linear, hidden, output } = described;
    const { inputs, outputs } = linear;
    const width = hidden.outputs + inputs;
    const ofHidden = {
      ...{ inputs, outputs: hidden.outputs },
      weights: flat(hidden.weights.slice(0, inputs * hidden.outputs)),
      bias: flat(hidden.bias.slice(0, hidden.outputs)),
    };
    const ofSums = {
      ...{ inputs, outputs, size: output.inputs },
      bias: flat(linear.bias.slice(0, outputs).map((value, i) => value + output.bias[i])),
      linearWeights: flat(linear.weights.slice(0, inputs * outputs)),
      hiddenWeights: flat(output.weights.slice(0, output.inputs * outputs)),
    };
    this.hidden = new RowsKernel<Kept>(gpu, denseGelu, ofHidden, width, true);
    this.sums = new RowsKernel(gpu, denseSum, ofSums, outputs);
    this.passes = new Passes(inputs, outputs, (part, rows) => this.pass(part, rows), width);
  }

  async apply(batch: Float32Array, rows: number): Promise<Float32Array> {
    // gpu.js would quietly build a destroyed kernel again.
    if (this.released) throw new TypeError('the perceptron was released');
    const { inputs, outputs } = this.described.linear;
    checkShape('batch', batch, rows, inputs);
    // It is read late, and its owner need not keep it.
    return unitRows(await this.passes.run(batch.slice(0, rows * inputs), rows), rows, outputs);
  }

  release(): void {
    if (!this.released) for (const kernel of [this.hidden, this.sums]) kernel.destroy();
    this.released = true;
  }

  private async pass(part: Float32Array, rows: number): Promise<Float32Array[]> {
    const kept = await this.hidden.run(rows, this.flat(part));
    try {
      return await this.sums.run(rows, kept);
    } finally {
      kept.delete();
    }
  }
}

/** A kernel of rows. A call resizes its output: the next one waits for its end. */
class RowsKernel<Result = Float32Array[]> {
  private readonly kernel: IKernelRunShortcut;

  /** @param keeps leaves results on the device */
  constructor(
    gpu: GPU,
    source: (...operands: never[]) => number,
    constants: Record<string, unknown>,
    private readonly outputs: number,
    keeps = false,
  ) {
    this.kernel = gpu.createKernel(source.toString(), {
      constants,
      strictIntegers: true,
      dynamicArguments: true,
      dynamicOutput: true,
      pipeline: keeps,
      output: [outputs, 1],
    });
  }

  async run(rows: number, ...operands: unknown[]): Promise<Result> {
    this.kernel.setOutput([this.outputs, rows]);
    return (await this.kernel(...(operands as never[]))) as Result;
  }

  destroy(): void {
    this.kernel.destroy();
  }
}

/** A batch in chunks of its rows, one pass of the device after another. */
class Passes {
  private readonly chunk: number;
  private turn: Promise<unknown> = Promise.resolve();

  /** @param widest most values of a row on the device */
  constructor(
    private readonly width: number,
    private readonly outputs: number,
    private readonly pass: (part: Float32Array, rows: number) => Promise<Float32Array[]>,
    widest = outputs,
  ) {
    const most = Math.max(1, Math.floor(CHUNK_VALUES / widest));
    this.chunk = Math.min(most, PASS_ROWS[PASS_ROWS.length - 1]);
  }

  async run(batch: Float32Array, rows: number): Promise<Float32Array> {
    const { width, outputs, chunk } = this;
    const result = new Float32Array(rows * outputs);
    for (let row = 0; row < rows; row += chunk) {
      const count = Math.min(chunk, rows - row);
      const part = batch.subarray(row * width, (row + count) * width);
      const computed = Math.min(chunk, PASS_ROWS.find((size) => size >= count) ?? count);
      const mine = this.turn.then(() => this.pass(part, computed));
      this.turn = mine.catch(() => undefined);
      const lines = await mine;
      for (let i = 0; i < count; i++) result.set(lines[i], (row + i) * outputs);
    }
    return result;
  }
}
