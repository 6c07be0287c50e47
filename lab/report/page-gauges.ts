import { wilson } from '#science/calibration/statistics';
import { treatmentName, UNPROCESSED } from '../gauges/study.js';
import { CLAIM_KINDS, type ClaimKind } from './claims.js';
import type { Counted, GaugeFigures, Parts } from './figures.js';
import { percent, picture, table, withInterval } from './text.js';

/** Counts of several lines as one. */
export function together(figures: GaugeFigures[], of: (one: GaugeFigures) => Counted): Counted {
  const total = figures.reduce((sum, one) => sum + one.sides, 0);
  const count = figures.reduce((sum, one) => sum + Math.round(of(one).share * one.sides), 0);
  return { share: total && count / total, interval: wilson(count, total), of: total };
}

/** A line a treatment, a column a population: shares of both sides together that are refused, warned about, and neither. */
function matrix(all: GaugeFigures[]): string {
  const populations = [...new Set(all.map(({ population }) => population))];
  const treatments = [...new Set(all.map(({ treatment }) => treatment))];
  const rows = treatments.map((treatment) => {
    const cells = populations.map((population) =>
      all.filter((one) => one.population === population && one.treatment === treatment),
    );
    const shares = cells.map((cell) =>
      [({ refused }: GaugeFigures) => refused, ({ warned }: GaugeFigures) => warned, unnoticed]
        .map((of) => (100 * together(cell, of).share).toFixed(1))
        .join('/'),
    );
    const sides = cells[0].reduce((sum, one) => sum + one.sides, 0);
    return [treatmentName(treatment), sides, ...shares];
  });
  return table(['treatment', 'sides', ...populations], rows);
}

export function gauges(all: GaugeFigures[], command: string): string {
  return `## Gauges: unprocessed against attacked

A side is refused below a detail residual of -0.50, and warned about where its noise is locally polynomial. An
unprocessed export may round or stop at 4000 cm^-1. ${command} One population, by side:
\`mvs gauges check --population client-b\`.

${picture('gauges.svg', 'Detail residual of unprocessed and attacked sides')}

Percent refused, warned about, and neither; rough and polish sides together. "Sides" is the number in each population. Of 600
sides the 95% interval reaches at most 4.0 points either way, of 2,000 at most 2.2; of none in 600 it reaches to 0.6, of none in
5,000 to 0.08.

${matrix(all)}

Unprocessed sides by themselves; the residual is the median (0.5% to 99.5%). [figures.json](accuracy/figures.json) has
those that were rounded or cut too.

${table(
  ['population', 'side', 'sides', 'residual', 'residual in its band', 'sharpness in its band'],
  all
    .filter(({ treatment }) => treatment === UNPROCESSED)
    .map(({ population, side, sides, residuals: [low, median, high], inBand, sharp }) => [
      population,
      side,
      sides,
      `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
      withInterval(inBand),
      withInterval(sharp),
    ]),
)}`;
}

/** Neither refused nor warned about. */
const unnoticed = ({ sides, refused, warned }: GaugeFigures): Counted => {
  const share = 1 - refused.share - warned.share;
  return { share, interval: wilson(Math.round(share * sides), sides), of: sides };
};

export function misses(parts: Partial<Parts>, command: (part: keyof Parts) => string): string {
  const { gauges = [], claims = [] } = parts;
  const fine = gauges.filter((one) => one.population === 'low-noise-4' && one.treatment === 'moving-average:7');
  return `## Known misses

The service lets these pass although it should not.

### Treated scans that the gauges pass

The third figure of the table above is the share of a treatment's sides that pass unnoticed; [the gauges' known
misses](gauges-check.md#known-misses) say why. On a natively fine axis (\`low-noise-4\`) a moving average over 7 points (13 cm^-1) is refused in
${percent(together(fine, ({ refused }) => refused).share)} of the sides and warned about in ${percent(together(fine, ({ warned }) => warned).share)}.

### Claims made to deceive

Each claim goes through all checks of the input and is decided at the shipped threshold of 0.98, which promises 2% of
wrong claims drawn at random and nothing else. Anybody who holds scans of the claimed rough can send them as the polish,
alone or mixed with another stone's: the score cannot show it, only the chain of custody can. Low-rank denoising is not
refused, though it costs its sender true claims. ${command('claims')}

${table(
  ['claim', 'population', 'claims', 'refused', 'MATCH'],
  claims.map(({ kind, population, claims: count, refused, matched }) => [
    CLAIM_KINDS[kind as ClaimKind],
    population,
    count,
    withInterval(refused),
    withInterval(matched),
  ]),
)}`;
}
