import { isExperimental, type LadderEntry, rungName } from '#calibration';
import {
  DETAIL_RESIDUAL_BAND,
  type Gauges,
  LOCALLY_POLYNOMIAL_LIMIT,
  type PreparedSide,
  REFERENCE_FIRST,
  REFERENCE_LAST,
  type Side,
} from '#spectra';

/** What the warnings need to know of a side. */
export type ExaminedSide = Pick<PreparedSide, 'side' | 'count' | 'duplicates' | 'shortCoverage' | 'references'> & {
  gauges: Gauges;
};

/** Rough scans that the intake protocol asks for (specification 4.1). */
const FEWEST_ROUGH_SCANS = 3;

/** A rung runs on the shipped default until an operator approves the population's own. */
export const isCarriedOver = (entry: LadderEntry): boolean => entry.threshold_source.startsWith('shipped-default');

const STONE_IDS = ' polish stone ids detected — pooling all scans per side';

const stoneIdWarning = ({ length: rough }: string[], { length: polish }: string[]): string | undefined =>
  rough > 1 || polish > 1 ? `${rough} rough / ${polish}${STONE_IDS}` : undefined;

/** A stored claim's warnings for a call that bears other references: theirs in place of those of the first call. */
export function withStoneIdWarning(warnings: readonly string[], rough: string[], polish: string[]): string[] {
  const told = warnings.findIndex((warning) => warning.endsWith(STONE_IDS));
  const stones = stoneIdWarning(rough, polish);
  return warnings.toSpliced(told < 0 ? warnings.length : told, told < 0 ? 0 : 1, ...(stones ? [stones] : []));
}

/**
 * The warnings of specification 2.3 that a claim raises, in its order; empty when none. The one kind left out, an
 * ignored replay flag, is the service's.
 */
export function warningsOf(rough: ExaminedSide, polish: ExaminedSide, entry: LadderEntry): string[] {
  const warnings: string[] = [];
  const sides = (is: (side: ExaminedSide) => boolean) => [rough, polish].filter(is);
  const rung = rungName(entry.reject_target);

  if (isCarriedOver(entry)) {
    warnings.push(
      `Uncalibrated population: it has no approved ladder at ${rung}, so the shipped threshold is carried over and more ` +
        'wrong claims may pass than the rung says',
      'Unvalidated expected_genuine_accept: it is carried over from another population',
    );
  }
  if (rough.count < FEWEST_ROUGH_SCANS)
    warnings.push(
      `only ${rough.count} rough scans; the validated intake protocol has at least ${FEWEST_ROUGH_SCANS}, better 6`,
    );
  if (rough.duplicates > 0)
    warnings.push(
      `Duplicate rough scans: ${rough.duplicates} of ${rough.count} repeat another one byte for byte; re-seat the stone ` +
        'between scans',
    );
  const stones = stoneIdWarning(rough.references, polish.references);
  if (stones !== undefined) warnings.push(stones);
  const short = sides((side) => side.shortCoverage);
  if (short.length > 0)
    warnings.push(
      `Insufficient wavenumber coverage: ${names(short)} scans do not cover ${REFERENCE_FIRST} to ${REFERENCE_LAST} ` +
        'cm^-1 without a hole; what is missing cannot tell stones apart',
    );
  const off = sides(({ gauges: { detailResidual } }) => !isHonestResidual(detailResidual));
  if (off.length > 0)
    warnings.push(
      `Off-manifold input: detail residual of ${off.map((s) => `${s.side} ${s.gauges.detailResidual.toFixed(2)}`).join(', ')}` +
        ` outside ${DETAIL_RESIDUAL_BAND.low} to +${DETAIL_RESIDUAL_BAND.high}, unlike directly acquired data`,
    );
  const polynomial = sides(({ gauges }) => gauges.locallyPolynomial > LOCALLY_POLYNOMIAL_LIMIT);
  if (polynomial.length > 0)
    warnings.push(
      `Locally polynomial input: ${names(polynomial)} scans look smoothed by a short polynomial filter; send the ` +
        "instrument's unprocessed export",
    );
  if (isExperimental(entry.reject_target))
    warnings.push(`Experimental rung: reject_target ${rung} is for measurement, not for quotation`);
  return warnings;
}

const names = (sides: { side: Side }[]): string => sides.map(({ side }) => side).join(' and ');

const isHonestResidual = (residual: number): boolean =>
  residual >= DETAIL_RESIDUAL_BAND.low && residual <= DETAIL_RESIDUAL_BAND.high;
