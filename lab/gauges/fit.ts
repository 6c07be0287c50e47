import { quantile } from '#calibration';
import { FITTED, type Gauges, RESIDUAL, SHARPNESS_BAND } from '#spectra';

export type Fitted = { [name in keyof typeof FITTED]: number };

/** The populations of native 8 cm^-1. The 4 and 16 cm^-1 ones and the random instruments stay unseen. */
export const FITTED_ON = ['calibration', 'client-a', 'client-b', 'client-c'];
/** Where the honest median of the detail residual belongs: the middle of its honest band. */
const MEDIAN = 0.04;

/** Gauges measured with the constants as they are, by population. */
export interface HonestGauges {
  full: Gauges[];
  to4000: Gauges[];
  polish: Gauges[];
}

/** Refits what moves with a population: the residual and the sharpness are linear in these constants. */
export function refit(populations: readonly HonestGauges[]): Fitted {
  const residual = (values: Gauges[]) => median(values.map(({ detailResidual }) => detailResidual));
  const full = mean(populations.map((p) => residual(p.full)));
  const to4000 = mean(populations.map((p) => residual(p.to4000)));
  const sharpness = populations.map((p) => ascending(p.polish.map((gauges) => gauges.sharpness)));
  const lowest = Math.min(...sharpness.map((sorted) => quantile(sorted, 0.025)));
  const highest = Math.max(...sharpness.map((sorted) => quantile(sorted, 0.975)));
  return {
    detailOffset: round(FITTED.detailOffset + (MEDIAN - full) / RESIDUAL.scale),
    shortAxis: round(FITTED.shortAxis + (full - to4000) / RESIDUAL.scale),
    sharpnessScale: round(
      FITTED.sharpnessScale * Math.sqrt((SHARPNESS_BAND.low * SHARPNESS_BAND.high) / (lowest * highest)),
    ),
  };
}

/** The file that holds them, whole. */
export const fittedSource = (
  fitted: Fitted,
) => `/** Written by \`mvs gauges fit --write\` from simulated honest sides (see \`docs/gauges.md\`); not edited by hand. */
export const FITTED = {
${Object.entries(fitted)
  .map(([name, value]) => `  ${name}: ${value},\n`)
  .join('')}} as const;
`;

const ascending = (values: number[]) => values.sort((a, b) => a - b);
const median = (values: number[]) => quantile(ascending(values), 0.5);
const mean = (values: number[]) => values.reduce((sum, v) => sum + v, 0) / values.length;
const round = (value: number) => Math.round(1e4 * value) / 1e4;
