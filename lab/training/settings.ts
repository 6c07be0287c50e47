import type { Pooling } from '#science/matching/input';

/** Spectra of stones on the reference axis: stone after stone, its rough scans, then its polish scans, 671 each. */
export interface SpectraTable {
  spectra: Float32Array;
  stones: number;
  rough: number;
  polish: number;
  /** One a stone: 1 where the record is known to pair two stones; training leaves it out, a test never does. */
  wrong?: Uint8Array;
  /** One a stone: stones of one number share mines, mix and instrument. All alike by default. */
  groups?: Int32Array;
}

export interface EncoderSettings {
  name: string;
  derivative: 1 | 2;
  hidden: number;
  epochs: number;
  /** Stones a step. */
  batch: number;
  /** Peak learning rate and weight decay of AdamW. */
  rate: number;
  weightDecay: number;
  /** True if the stones of a batch share a group, so that no instrument distinguishes them. */
  grouped: boolean;
  /** Start of the learnable scale of the loss. */
  scale: number;
  /** What is pooled: preprocessed scans, of which any number is drawn, or vectors, of as many as the next two say. */
  pooling: Pooling;
  /** Rough and polish scans drawn of a stone each time it is seen, where their vectors are pooled. */
  roughDrawn: number;
  polishDrawn: number;
  smoothing: number;
  /** Weight of the squared mean cosine of a batch, as `lossAndGradient` has it. */
  spread: number;
  /** Share of sides shown as a submission of 400-4000 cm^-1 or of another short range. */
  shortShare: number;
  /** Share of sides that lose a random span of the preprocessed scan, and its greatest width in bins. */
  spanShare: number;
  spanWidth: number;
  /** Standard deviation of noise added to a preprocessed scan. */
  noise: number;
  /** True to keep the weights of the epoch with the lowest held-out loss instead of the last ones. */
  keepBest: boolean;
  /** Root mean square length of the linear branch's output at the start. */
  reach: number;
  seed: number;
}
