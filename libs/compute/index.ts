export type { Activation, DenseLayer } from './layer.js';
export { type PackedLayer, type PackedMatrix, SimdKernel } from './simd-kernel.js';
