import { REFERENCE_FIRST, REFERENCE_LAST, REFERENCE_STEP } from '#science/spectra/axis';
import type { Sampling } from '#science/spectra/sampling';

/**
 * What a side's vector is the mean of: of its preprocessed scans, encoded once (`scans`), or of the vectors of its scans, each encoded
 * by itself (`vectors`).
 */
export const POOLINGS = ['scans', 'vectors'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** How the encoders are shown a side. It stands in the model's file, and so under its digest. */
export interface ModelInput {
  sampling: Sampling;
  /** Highest wavenumber that the encoders see, cm^-1. */
  upTo: number;
  pooling: Pooling;
}

/** The input of models whose files name none. */
export const FIRST_INPUT: ModelInput = { sampling: 'bridged', upTo: REFERENCE_LAST, pooling: 'vectors' };
/** The input for which new models are trained. Above 4000 cm^-1 there is more noise than identity. */
export const INPUT: ModelInput = { sampling: 'masked', upTo: 4000, pooling: 'scans' };

/** Points of the reference axis that the encoders see. */
export const inputPoints = ({ upTo }: Pick<ModelInput, 'upTo'>): number =>
  Math.floor((upTo - REFERENCE_FIRST) / REFERENCE_STEP + 1e-6) + 1;
