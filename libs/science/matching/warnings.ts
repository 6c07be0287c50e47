import { isExperimental, type LadderEntry, rungName } from '#science/calibration/ladder';
import { REFERENCE_FIRST, REFERENCE_LAST } from '#science/spectra/axis';
import {
  DETAIL_RESIDUAL_BAND,
  type Gauges,
  isOnManifold,
  LOCALLY_POLYNOMIAL_LIMIT,
  MIN_ROUGH_SCANS,
} from '#science/spectra/gauges/index';
import type { Side } from '#science/spectra/refusal';
import type { PreparedSide } from '#science/spectra/scan-set';

/** The parts of a side on which the warnings depend. */
export type ExaminedSide = Pick<PreparedSide, 'side' | 'count' | 'duplicates' | 'shortCoverage' | 'references'> & {
  gauges: Gauges;
};

/** Measured share of wrong claims of a population that a carried-over threshold lets through. */
export interface LetsThrough {
  wrong_per_1000: number;
  /** Rough stones that it was measured on. */
  stones: number;
}

/** A rung runs on the shipped default until an operator approves the population's own. */
export const isCarriedOver = (entry: LadderEntry): boolean => entry.threshold_source.startsWith('shipped-default');

/**
 * The beginning of each kind of warning, in any case; behind a blank, words inside it. Warnings are written with them, and
 * stored ones, of which events hold the sentences alone, are recognised by them.
 */
const MARKS = {
  uncalibrated_population: 'Uncalibrated population',
  unvalidated_expected_genuine_accept: 'Unvalidated expected_genuine_accept',
  too_few_rough_scans: 'only ',
  duplicate_rough_scans: 'Duplicate rough scans',
  multiple_stone_ids: ' polish stone ids detected',
  insufficient_coverage: 'Insufficient wavenumber coverage',
  off_manifold: 'Off-manifold input',
  locally_polynomial: 'Locally polynomial input',
  replay_flag_ignored: 'Replay flag ignored',
  experimental_rung: 'Experimental rung',
} as const;

export type WarningKind = keyof typeof MARKS | 'other';

const MARKED = Object.entries(MARKS).map(([kind, mark]) => [kind as WarningKind, mark.toLowerCase()] as const);

export const WARNING_KINDS: readonly WarningKind[] = [...MARKED.map(([kind]) => kind), 'other'];

export function warningKind(text: string): WarningKind {
  const lower = text.toLowerCase();
  const holds = (mark: string) => (mark.startsWith(' ') ? lower.includes(mark) : lower.startsWith(mark));
  return MARKED.find(([, mark]) => holds(mark))?.[0] ?? 'other';
}

/** For a call that asked for a replay without the right to one: the service raises it. */
export const REPLAY_IGNORED = `${MARKS.replay_flag_ignored}: X-Svc-Replay came without an authorising credential; the call counts as a claim`;

const stoneIdWarning = ({ length: rough }: string[], { length: polish }: string[]): string | undefined =>
  rough > 1 || polish > 1
    ? `${rough} rough / ${polish}${MARKS.multiple_stone_ids} — pooling all scans per side`
    : undefined;

/** A stored claim's warnings for a call that bears other references: theirs in place of those of the first call. */
export function withStoneIdWarning(warnings: readonly string[], rough: string[], polish: string[]): string[] {
  const place = (warning: string) => WARNING_KINDS.indexOf(warningKind(warning));
  const own = WARNING_KINDS.indexOf('multiple_stone_ids');
  const stones = stoneIdWarning(rough, polish);
  return [
    ...warnings.filter((warning) => place(warning) < own),
    ...(stones ? [stones] : []),
    ...warnings.filter((warning) => place(warning) > own),
  ];
}

/**
 * The warnings that a claim raises, in the contract's order; empty when none. The service adds the one kind left out, an
 * ignored replay flag.
 */
export function warningsOf(
  rough: ExaminedSide,
  polish: ExaminedSide,
  entry: LadderEntry,
  letsThrough?: LetsThrough,
): string[] {
  const warnings: string[] = [];
  const sides = (is: (side: ExaminedSide) => boolean) => [rough, polish].filter(is);
  const rung = rungName(entry.reject_target);

  if (isCarriedOver(entry)) {
    warnings.push(
      `${MARKS.uncalibrated_population}: it has no approved ladder at ${rung}, so the shipped threshold is carried over and more ` +
        `wrong claims may pass than the rung says${letsThrough ? measured(letsThrough) : ''}`,
      `${MARKS.unvalidated_expected_genuine_accept}: it is carried over from another population`,
    );
  }
  if (rough.count < MIN_ROUGH_SCANS)
    warnings.push(
      `${MARKS.too_few_rough_scans}${rough.count} rough scans; the validated intake protocol has at least ${MIN_ROUGH_SCANS}, better 6`,
    );
  if (rough.duplicates > 0)
    warnings.push(
      `${MARKS.duplicate_rough_scans}: ${rough.duplicates} of ${rough.count} repeat another one byte for byte; re-seat the stone ` +
        'between scans',
    );
  const stones = stoneIdWarning(rough.references, polish.references);
  if (stones !== undefined) warnings.push(stones);
  const short = sides((side) => side.shortCoverage);
  if (short.length > 0)
    warnings.push(
      `${MARKS.insufficient_coverage}: ${names(short)} scans do not cover ${REFERENCE_FIRST} to ${REFERENCE_LAST} ` +
        'cm^-1 without a hole; what is missing cannot tell stones apart',
    );
  const off = sides(({ gauges: { detailResidual } }) => !isOnManifold(detailResidual));
  if (off.length > 0)
    warnings.push(
      `${MARKS.off_manifold}: detail residual of ${off.map((s) => `${s.side} ${s.gauges.detailResidual.toFixed(2)}`).join(', ')}` +
        ` outside ${DETAIL_RESIDUAL_BAND.low} to +${DETAIL_RESIDUAL_BAND.high}, unlike directly acquired data`,
    );
  const polynomial = sides(({ gauges }) => gauges.locallyPolynomial > LOCALLY_POLYNOMIAL_LIMIT);
  if (polynomial.length > 0)
    warnings.push(
      `${MARKS.locally_polynomial}: ${names(polynomial)} scans look smoothed by a short polynomial filter; send the ` +
        "instrument's unprocessed export",
    );
  if (isExperimental(entry.reject_target))
    warnings.push(`${MARKS.experimental_rung}: reject_target ${rung} is for measurement, not for quotation`);
  return warnings;
}

const measured = ({ wrong_per_1000, stones }: LetsThrough): string =>
  `: here it accepts about ${Math.round(wrong_per_1000)} of 1,000 wrong claims, measured on ${stones} stones`;

const names = (sides: { side: Side }[]): string => sides.map(({ side }) => side).join(' and ');
