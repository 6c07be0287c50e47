import { REFERENCE_FIRST, REFERENCE_LAST, REFERENCE_STEP } from '#science/spectra/axis';
import type { Sampling } from '#science/spectra/sampling';

/** The sampling of scans for the encoders. It stands in the model's file, and so under its digest. */
export interface ModelInput {
  sampling: Sampling;
  /** Highest wavenumber that the encoders see, cm^-1. */
  upTo: number;
}

/** The input of models whose files name none. */
export const FIRST_INPUT: ModelInput = { sampling: 'bridged', upTo: REFERENCE_LAST };
/** The input for which new models are trained. Above 4000 cm^-1 there is more noise than identity. */
export const INPUT: ModelInput = { sampling: 'masked', upTo: 4000 };

/** Points of the reference axis that the encoders see. */
export const inputPoints = ({ upTo }: Pick<ModelInput, 'upTo'>): number =>
  Math.floor((upTo - REFERENCE_FIRST) / REFERENCE_STEP + 1e-6) + 1;
