/** Written by `mvs gauges fit --write` from simulated honest sides (see `docs/gauges.md`); not edited by hand. */
export const FITTED = {
  detailOffset: 0.0606,
  shortAxis: 0.3897,
  sharpnessScale: 0.1227,
} as const;
