export { type ChooseOptions, chooseCompute, createCompute, type EngineOutcome, type EngineReport } from './choose.js';
export { plainCompute, simdCompute } from './cpu-engines.js';
export { fastestMs, measureCeiling } from './measure.js';
export {
  type Activation,
  type Compute,
  type DenseLayer,
  type EngineName,
  type Layer,
  type Perceptron,
  unitRows,
} from './port.js';
export { randomLayer, randomValues } from './random.js';
export { type PackedLayer, type PackedMatrix, SimdKernel } from './simd-kernel.js';
export { instantiate, type KernelMemory, Scratch } from './wasm.js';
export { type Adapter, probeAdapter, withSoftwareAdapter } from './webgpu.js';
