export { generalisedEigen } from './eigen.js';
export { interpolatedQuantile, quantile, ranked, upperMedian } from './quantile.js';
export { scrambled, uniform } from './random.js';
