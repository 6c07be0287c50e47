/** Activation of a dense layer after its bias; `gelu` in its tanh form. */
export type Activation = 'identity' | 'gelu';

/** activation(batch . weights + bias), float32 throughout. */
export interface DenseLayer {
  inputs: number;
  outputs: number;
  /** inputs x outputs, row-major */
  weights: Float32Array;
  /** outputs */
  bias: Float32Array;
  activation: Activation;
}

/** Throws RangeError where an array holds fewer values than its shape needs, or a dimension is no positive integer. */
export function checkShape(name: string, values: { length: number }, rows: number, columns: number): void {
  if (!Number.isSafeInteger(rows) || !Number.isSafeInteger(columns) || rows < 0 || columns < 1) {
    throw new RangeError(`${name}: ${rows} x ${columns} is not a matrix shape`);
  }
  if (values.length < rows * columns) {
    throw new RangeError(`${name}: ${rows} x ${columns} needs ${rows * columns} values, got ${values.length}`);
  }
}

/** Checks a layer's arrays against its shape; throws RangeError. */
export function checkLayer(layer: DenseLayer): void {
  checkShape('weights', layer.weights, layer.inputs, layer.outputs);
  checkShape('bias', layer.bias, 1, layer.outputs);
}

/** A hidden layer with its output, and a linear layer beside both: their sum, scaled to length one. The hidden one alone has an activation. */
export interface Perceptron {
  linear: DenseLayer;
  hidden: DenseLayer;
  output: DenseLayer;
}

/** Throws RangeError where its layers do not fit together. */
export function checkPerceptron({ linear, hidden, output }: Perceptron): void {
  for (const layer of [linear, hidden, output]) checkLayer(layer);
  if (linear.inputs !== hidden.inputs || hidden.outputs !== output.inputs || output.outputs !== linear.outputs)
    throw new RangeError('the layers of a perceptron do not fit together');
  if ([linear, hidden, output].map(({ activation }) => activation).join() !== 'identity,gelu,identity')
    throw new RangeError('of the layers of a perceptron the hidden one has an activation, and no other');
}

/** The engines: gpu.js on WebGPU, the SIMD kernel, and plain TypeScript, the truth. */
export type EngineName = 'webgpu' | 'simd' | 'plain';

/** A perceptron held by an engine: weights are packed or uploaded once. */
export interface HeldPerceptron {
  /**
   * @param batch rows x inputs, row-major
   * @returns rows x outputs. A row's bits depend on that row alone, never on the batch or the position in it.
   */
  apply(batch: Float32Array, rows: number): Promise<Float32Array>;
  release(): void;
}

/** The operations of every engine. Rejects with RangeError where an array is shorter than its shape. */
export interface Compute {
  readonly name: EngineName;
  /** `apply` has read its batch when it returns its promise. */
  perceptron(perceptron: Perceptron): Promise<HeldPerceptron>;
  /**
   * Cosines of all pairs of rows, for tables (float32 sums): a [rowsA x width], b [rowsB x width] -> rowsA x rowsB. A
   * row of zeros has cosine 0 with everything.
   */
  cosines(a: Float32Array, rowsA: number, b: Float32Array, rowsB: number, width: number): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Rows scaled to unit length (norms summed in float64, in order); rows of zeros stay zero. */
export function unitRows(values: Float32Array, rows: number, width: number): Float32Array {
  checkShape('vectors', values, rows, width);
  const unit = new Float32Array(rows * width);
  for (let start = 0; start < unit.length; start += width) {
    let square = 0;
    for (let i = start; i < start + width; i++) square += values[i] * values[i];
    if (square === 0) continue;
    const scale = 1 / Math.sqrt(square);
    for (let i = start; i < start + width; i++) unit[i] = values[i] * scale;
  }
  return unit;
}
