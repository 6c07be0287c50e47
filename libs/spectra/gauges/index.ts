import { detailResidual } from './detail-residual.js';
import { locallyPolynomial } from './locally-polynomial.js';
import type { GaugedSide } from './scan.js';
import { sharpness } from './sharpness.js';

export { DETAIL_RESIDUAL_BAND, LOCALLY_POLYNOMIAL_LIMIT, SHARPNESS_BAND } from './constants.js';
export type { GaugedScan, GaugedSide } from './scan.js';

/** Always finite numbers; see `docs/gauges.md`. */
export interface Gauges {
  sharpness: number;
  detailResidual: number;
  locallyPolynomial: number;
}

/** What too little of the axis gives: inside every honest band, so that it neither refuses nor warns. */
const NOT_MEASURED = 0;

export function measureGauges(side: GaugedSide): Gauges {
  return {
    sharpness: sharpness(side.spectra, side.count),
    detailResidual: mean(side.scans.map(detailResidual)) ?? NOT_MEASURED,
    locallyPolynomial: locallyPolynomial(side.scans) ?? NOT_MEASURED,
  };
}

/** Mean of the numbers there are. */
function mean(values: (number | null)[]): number | null {
  const there = values.filter((v) => v !== null);
  return there.length ? there.reduce((sum, v) => sum + v, 0) / there.length : null;
}
