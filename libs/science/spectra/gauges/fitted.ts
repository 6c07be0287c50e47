import type { Sampling } from '../sampling.js';

/** Constants that move with the populations and measured curves to which the gauges are fitted. */
export interface FittedConstants {
  detailOffset: number;
  shortAxis: number;
  sharpnessScale: number;
}

/** Those that the first model's baselines were measured with; its sampling keeps them. */
const FIRST: FittedConstants = { detailOffset: 0.0606, shortAxis: 0.3897, sharpnessScale: 0.1227 };

/** Fitted as `docs/concepts/gauges.md` says. */
const NEWEST: FittedConstants = { detailOffset: 0.0716, shortAxis: 0.4008, sharpnessScale: 0.0825 };

/** By the sampling of the model that a side is examined for. */
export const FITTED: Readonly<Record<Sampling, FittedConstants>> = { bridged: FIRST, masked: NEWEST };
