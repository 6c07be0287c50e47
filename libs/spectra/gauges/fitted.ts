/** Written by `mvs gauges fit --write` from simulated honest sides (see `docs/gauges.md`); not edited by hand. */
export const FITTED = {
  detailOffset: 0.13,
  shortAxis: 0.3,
  sharpnessScale: 0.13,
} as const;
