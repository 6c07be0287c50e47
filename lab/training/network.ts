import { VECTOR } from '#science/matching/model';

/** Float32 in training; float64 where gradients are checked. */
export type Numbers = Float32Array | Float64Array;

/** The three products of a dense layer and its gradients, row-major (SimdKernel, or plain code in tests). */
export interface Products {
  /** [n x k] . [k x m] */
  product(a: Numbers, b: Numbers, n: number, k: number, m: number, out?: Numbers): Numbers;
  /** transpose of a [k x n] . b [k x m] */
  productLeftTransposed(a: Numbers, b: Numbers, k: number, n: number, m: number, out?: Numbers): Numbers;
  /** a [n x k] . transpose of b [m x k] */
  productRightTransposed(a: Numbers, b: Numbers, n: number, k: number, m: number, out?: Numbers): Numbers;
}

/**
 * The encoder under training, all parameters in one array:
 * `first` (the preprocessed points x (256 + hidden)) holds the linear branch and the hidden layer side by side, so that one product
 * serves both; then the output layer, the biases, and the logarithm of the scale of the loss.
 */
export interface Layout {
  hidden: number;
  width: number;
  first: number;
  output: number;
  bias: number;
  hiddenBias: number;
  logScale: number;
  length: number;
  inputs: number;
  vector: number;
}

export function layoutOf(hidden: number, inputs: number, vector = VECTOR): Layout {
  const width = vector + hidden;
  const output = inputs * width;
  const bias = output + hidden * vector;
  const hiddenBias = bias + vector;
  const logScale = hiddenBias + hidden;
  return { hidden, width, inputs, vector, first: 0, output, bias, hiddenBias, logScale, length: logScale + 1 };
}

/** One batch: `stones` stones, preprocessed: `rough` scans and `polish` scans of each, rough rows of all stones first. */
export interface Batch {
  preprocessed: Numbers;
  stones: number;
  rough: number;
  polish: number;
}

type Maker = (length: number) => Numbers;
const makerOf =
  (like: Numbers): Maker =>
  (length) =>
    like.BYTES_PER_ELEMENT === 8 ? new Float64Array(length) : new Float32Array(length);

/** Factor on cosines in the loss, before training moves it. */
export const LOSS_SCALE = 20;

/** Unit vectors of `rows` preprocessed scans, with the intermediate values for the gradient. */
export function forward(
  kernel: Products,
  layout: Layout,
  parameters: Numbers,
  preprocessed: Numbers,
  rows: number,
): { vectors: Numbers; lengths: Float64Array; bent: Numbers; slopes: Numbers } {
  const make = makerOf(parameters);
  const { hidden, width, inputs, vector } = layout;
  const bias = parameters.subarray(layout.bias, layout.hiddenBias);
  const hiddenBias = parameters.subarray(layout.hiddenBias, layout.logScale);
  const both = kernel.product(preprocessed, parameters.subarray(0, layout.output), rows, inputs, width);
  const bent = make(rows * hidden);
  const slopes = make(rows * hidden);
  for (let r = 0; r < rows; r++) geluRow(both, r * width + vector, hiddenBias, bent, slopes, r * hidden);
  const vectors = kernel.product(bent, parameters.subarray(layout.output, layout.bias), rows, hidden, vector);
  const lengths = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    const at = r * vector;
    for (let i = 0; i < vector; i++) vectors[at + i] += both[r * width + i] + bias[i];
    lengths[r] = normaliseRow(vectors, at, vector);
  }
  return { vectors, lengths, bent, slopes };
}

/**
 * Loss of a batch (symmetric InfoNCE between the pooled sides, nats per stone) and its gradient.
 * @param gradient receives as many values as `parameters` has
 * @param smoothing share of the target spread evenly over all stones of the batch
 * @param spread weight of the squared mean cosine of the batch: keeps the common part of all its stones out of their
 * vectors
 */
export function lossAndGradient(
  kernel: Products,
  layout: Layout,
  parameters: Numbers,
  batch: Batch,
  gradient: Numbers,
  { smoothing = 0, spread = 0 } = {},
): number {
  const make = makerOf(parameters);
  const { hidden, width, inputs, vector } = layout;
  const rows = batch.stones * (batch.rough + batch.polish);
  const output = parameters.subarray(layout.output, layout.bias);
  const scale = Math.exp(parameters[layout.logScale]);
  const { bent, slopes, vectors, lengths } = forward(kernel, layout, parameters, batch.preprocessed, rows);
  const polishAt = batch.stones * batch.rough;
  const roughSides = pool(vectors, 0, batch.stones, batch.rough, vector, make);
  const polishSides = pool(vectors, polishAt, batch.stones, batch.polish, vector, make);

  const logits = kernel.productRightTransposed(roughSides.sides, polishSides.sides, batch.stones, vector, batch.stones);
  const { loss, slope, scaleSlope } = contrast(logits, batch.stones, { scale, smoothing, spread }, make);

  const roughSlope = kernel.product(slope, polishSides.sides, batch.stones, batch.stones, vector);
  const polishSlope = kernel.productLeftTransposed(slope, roughSides.sides, batch.stones, batch.stones, vector);
  const vectorSlopes = make(rows * vector);
  unpool(roughSides, roughSlope, vectors, lengths, 0, batch.rough, vector, vectorSlopes);
  unpool(polishSides, polishSlope, vectors, lengths, polishAt, batch.polish, vector, vectorSlopes);

  const bentSlopes = kernel.productRightTransposed(vectorSlopes, output, rows, vector, hidden);
  kernel.productLeftTransposed(bent, vectorSlopes, rows, hidden, vector, gradient.subarray(layout.output, layout.bias));
  const bothSlopes = make(rows * width);
  const biasSlope = gradient.subarray(layout.bias, layout.hiddenBias).fill(0);
  const hiddenSlope = gradient.subarray(layout.hiddenBias, layout.logScale).fill(0);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < vector; i++) {
      const value = vectorSlopes[r * vector + i];
      bothSlopes[r * width + i] = value;
      biasSlope[i] += value;
    }
    for (let i = 0; i < hidden; i++) {
      const value = bentSlopes[r * hidden + i] * slopes[r * hidden + i];
      bothSlopes[r * width + vector + i] = value;
      hiddenSlope[i] += value;
    }
  }
  kernel.productLeftTransposed(
    batch.preprocessed,
    bothSlopes,
    rows,
    inputs,
    width,
    gradient.subarray(0, layout.output),
  );
  gradient[layout.logScale] = scaleSlope;
  return loss;
}

/** GELU in its tanh form of one row of pre-activations, and its slope. */
function geluRow(both: Numbers, at: number, bias: Numbers, bent: Numbers, slopes: Numbers, to: number): void {
  for (let i = 0; i < bias.length; i++) {
    const x = both[at + i] + bias[i];
    // tanh(u) = 1 - 2 / (exp(2u) + 1), u = sqrt(2/pi) (x + 0.044715 x^3)
    const tanh = 1 - 2 / (Math.exp(1.5957691216057308 * x * (1 + 0.044715 * x * x)) + 1);
    bent[to + i] = 0.5 * x * (1 + tanh);
    slopes[to + i] = 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * 0.7978845608028654 * (1 + 0.134145 * x * x);
  }
}

function normaliseRow(values: Numbers, at: number, vector: number): number {
  let squares = 0;
  for (let i = at; i < at + vector; i++) squares += values[i] * values[i];
  const length = Math.sqrt(squares) || 1;
  for (let i = at; i < at + vector; i++) values[i] /= length;
  return length;
}

interface Sides {
  sides: Numbers;
  lengths: Float64Array;
}

/** Normalised sum of each stone's unit vectors. */
function pool(vectors: Numbers, from: number, stones: number, scans: number, vector: number, make: Maker): Sides {
  const sides = make(stones * vector);
  const lengths = new Float64Array(stones);
  for (let s = 0; s < stones; s++) {
    for (let r = from + s * scans; r < from + (s + 1) * scans; r++) {
      for (let i = 0; i < vector; i++) sides[s * vector + i] += vectors[r * vector + i];
    }
    lengths[s] = normaliseRow(sides, s * vector, vector);
  }
  return { sides, lengths };
}

/** Slope of the loss by a side's vector -> by its scans' vectors before their normalisation. */
function unpool(
  { sides, lengths }: Sides,
  slope: Numbers,
  vectors: Numbers,
  scanLengths: Float64Array,
  from: number,
  scans: number,
  vector: number,
  out: Numbers,
): void {
  for (let s = 0; s < lengths.length; s++) {
    const at = s * vector;
    let along = 0;
    for (let i = 0; i < vector; i++) along += slope[at + i] * sides[at + i];
    for (let i = 0; i < vector; i++) slope[at + i] = (slope[at + i] - sides[at + i] * along) / lengths[s];
    for (let r = from + s * scans; r < from + (s + 1) * scans; r++) {
      const to = r * vector;
      let inward = 0;
      for (let i = 0; i < vector; i++) inward += slope[at + i] * vectors[to + i];
      for (let i = 0; i < vector; i++) {
        out[to + i] = (slope[at + i] - vectors[to + i] * inward) / scanLengths[r];
      }
    }
  }
}

/** Symmetric InfoNCE of pooled sides (stones x 256 each) at the usual scale, nats a stone. */
export function matchLoss(kernel: Products, rough: Numbers, polish: Numbers, vector = VECTOR): number {
  const stones = rough.length / vector;
  const cosines = kernel.productRightTransposed(rough, polish, stones, vector, stones);
  return contrast(cosines, stones, { scale: LOSS_SCALE, smoothing: 0, spread: 0 }, makerOf(rough)).loss;
}

/** Symmetric cross entropy over a square table of cosines; its slope by the cosines and by the log of the scale. */
function contrast(
  cosines: Numbers,
  n: number,
  { scale, smoothing, spread }: { scale: number; smoothing: number; spread: number },
  make: Maker,
): { loss: number; slope: Numbers; scaleSlope: number } {
  const slope = make(n * n);
  const rowSums = new Float64Array(n);
  const columnSums = new Float64Array(n);
  const powers = new Float64Array(n * n);
  // Cosines are at most one, so that scale itself bounds every logit.
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const power = Math.exp(scale * (cosines[i * n + j] - 1));
      powers[i * n + j] = power;
      rowSums[i] += power;
      columnSums[j] += power;
    }
  }
  let mean = 0;
  for (let at = 0; at < n * n; at++) mean += cosines[at] / (n * n);
  const pull = (2 * spread * mean) / (n * n);
  const off = smoothing / n;
  const on = 1 - smoothing + off;
  let loss = spread * mean * mean;
  let scaleSlope = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const at = i * n + j;
      const target = i === j ? on : off;
      const logit = scale * (cosines[at] - 1);
      const byLogit = ((powers[at] / rowSums[i] + powers[at] / columnSums[j]) / 2 - target) / n;
      if (target > 0) loss += (target * ((Math.log(rowSums[i]) + Math.log(columnSums[j])) / 2 - logit)) / n;
      slope[at] = byLogit * scale + pull;
      scaleSlope += byLogit * scale * cosines[at];
    }
  }
  return { loss, slope, scaleSlope };
}
