export { interpolatedQuantile, quantile, upperMedian } from './quantile.js';
export { scrambled, uniform } from './random.js';
