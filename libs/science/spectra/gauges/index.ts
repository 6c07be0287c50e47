import { DETAIL_RESIDUAL_BAND, POLYNOMIAL, RESIDUAL } from './constants.js';
import { type NoiseCharacter, noiseCharacters } from './detail-residual.js';
import { type SmoothingFit, smoothingFit } from './locally-polynomial.js';
import type { GaugedSide } from './scan.js';
import { sharpness } from './sharpness.js';

export {
  DETAIL_RESIDUAL_BAND,
  GAUGE_BANDS,
  type GaugeBand,
  isOnManifold,
  LOCALLY_POLYNOMIAL_LIMIT,
  MIN_ROUGH_SCANS,
  RESIDUAL,
  SHARPNESS_BAND,
} from './constants.js';
export { FITTED, type FittedConstants } from './fitted.js';
export type { GaugedScan, GaugedSide } from './scan.js';

/** Always finite numbers; `docs/concepts/gauges.md` defines them. */
export interface Gauges {
  /** Detail of the side's mean on the reference axis; 0 where the axis holds none of its two bands. */
  sharpness: number;
  /** Departure of the noise from directly acquired data, mean over the scans; 0 where none can be measured. */
  detailResidual: number;
  /** The same before it was held where the smoothing was recognised as polynomial: never above `detailResidual`. */
  measuredResidual: number;
  /** Log-likelihood ratio of local smoothing against any unprocessed spectrum; 0 where it cannot be measured. */
  locallyPolynomial: number;
}

/** Inside every unprocessed band, so that too little of the axis neither refuses nor warns. */
const NOT_MEASURED = 0;

export function measureGauges(side: GaugedSide): Gauges {
  const fit = smoothingFit(side.scans);
  const characters = noiseCharacters(side).filter((character) => character !== null);
  const [held, measured] = characters.length > 0 ? detailResiduals(characters, fit) : [NOT_MEASURED, NOT_MEASURED];
  return {
    sharpness: sharpness(side),
    detailResidual: held,
    measuredResidual: measured,
    locallyPolynomial: fit?.locallyPolynomial ?? NOT_MEASURED,
  };
}

/** The residual that counts, and the measured one. */
function detailResiduals(characters: NoiseCharacter[], fit: SmoothingFit | null): [held: number, measured: number] {
  const easing = !fit || fit.heavy < RESIDUAL.unlessHeavy;
  let detail = 0;
  let missingFloor = 0;
  for (const character of characters) {
    detail +=
      (easing && character.floor < Number.POSITIVE_INFINITY ? eased(character.detail) : character.detail) /
      characters.length;
    missingFloor += Math.max(0, Math.log10(RESIDUAL.minFloor / character.floor)) / characters.length;
  }
  if (fit?.recognised) {
    // Polynomial smoothing is warned about, not refused; a missing noise floor still is.
    return [Math.max(detail, POLYNOMIAL.residual) - missingFloor, detail - missingFloor];
  }
  if (fit) {
    const { perUnit, averageFree, heavyFree } = RESIDUAL.smoothing;
    detail -= perUnit * Math.max(0, fit.average - averageFree, fit.heavy - heavyFree);
  }
  return [detail - missingFloor, detail - missingFloor];
}

const eased = (detail: number): number =>
  detail + (1 - RESIDUAL.belowBand) * Math.max(0, DETAIL_RESIDUAL_BAND.low - detail);
