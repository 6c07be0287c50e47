import {
  ACQUIRED,
  DETAIL_RESIDUAL_BAND,
  isOnManifold,
  LOCALLY_POLYNOMIAL_LIMIT,
  ONE_SIDED,
  POLYNOMIAL,
  RESIDUAL,
} from './constants.js';
import { type Look, type NoiseCharacter, noiseCharacters } from './detail-residual.js';
import { withoutFringes } from './fringes.js';
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
  const first = lookAt(side, 'first');
  const counted = isOrdinary(first) || side.sampling === 'bridged' ? first : secondLook(side, first);
  return {
    sharpness: sharpness(side),
    detailResidual: counted.held,
    measuredResidual: counted.measured,
    locallyPolynomial: counted.locallyPolynomial,
  };
}

/** The noise of a side, as one look has it. */
interface Seen {
  /** The residual that counts, and the measured one. */
  held: number;
  measured: number;
  locallyPolynomial: number;
}

const isOrdinary = ({ held, locallyPolynomial }: Seen) =>
  isOnManifold(held) && locallyPolynomial <= LOCALLY_POLYNOMIAL_LIMIT;

function lookAt(side: GaugedSide, look: Look): Seen {
  const fit = smoothingFit(side.scans, look);
  const characters = noiseCharacters(side, look).filter((character) => character !== null);
  const [held, measured] = characters.length > 0 ? detailResiduals(characters, fit) : [NOT_MEASURED, NOT_MEASURED];
  return { held, measured, locallyPolynomial: fit?.locallyPolynomial ?? NOT_MEASURED };
}

/**
 * Noise that looks processed is looked at once more without what honest instruments add to it or take from it: fringes,
 * saturated windows, interferograms that reach far to one side alone. An ordinary side never comes here, and keeps its bits;
 * neither does one of the first model's, whose baselines know one look.
 */
function secondLook(side: GaugedSide, first: Seen): Seen {
  const { low, high } = DETAIL_RESIDUAL_BAND;
  const clean = { ...side, scans: side.scans.map(withoutFringes) };
  const second = lookAt(clean, first.held > high ? 'second, above' : 'second');
  const { locallyPolynomial } = second;
  if (isOnManifold(first.held)) return { ...first, locallyPolynomial };
  if (first.held < low) {
    const better = second.held > first.held ? second : first;
    return {
      held: Math.min(better.held, high),
      measured: Math.min(better.measured, better.held, high),
      locallyPolynomial,
    };
  }
  const excess = Math.max(0, second.held - high);
  const held = second.held - Math.min(excess, RESIDUAL.scale * ONE_SIDED);
  return { held, measured: Math.min(second.measured, held), locallyPolynomial };
}

/** The residual that counts, and the measured one. */
function detailResiduals(characters: NoiseCharacter[], fit: SmoothingFit | null): [held: number, measured: number] {
  const easing = !fit || fit.heavy < RESIDUAL.unlessHeavy;
  const least = RESIDUAL.minFloor * (fit?.acquired ? ACQUIRED.floor : 1);
  let detail = 0;
  let missingFloor = 0;
  for (const character of characters) {
    detail +=
      (easing && character.floor < Number.POSITIVE_INFINITY ? eased(character.detail) : character.detail) /
      characters.length;
    missingFloor += Math.max(0, Math.log10(least / character.floor)) / characters.length;
  }
  if (fit?.recognised || fit?.acquired) {
    // Polynomial smoothing and an instrument's own line are warned about, not refused; a missing noise floor still is.
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
