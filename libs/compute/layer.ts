/** What a dense layer applies after its bias; `gelu` in its tanh form. */
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
