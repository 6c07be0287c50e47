/** A verdict in words: its meaning, and what to do. */
import type { CalibrationAsset } from '#science/calibration/asset';
import type { adviceOf } from '#science/matching/action';
import type { VerificationResult } from '#science/matching/verdict';
import type { WarningKind } from '#science/matching/warnings';
import type { ComparedSides } from '#science/spectra/compare';
import type { Gauges } from '#science/spectra/gauges/index';
import type { Side } from '#science/spectra/refusal';

export type Advised = VerificationResult & ReturnType<typeof adviceOf>;

export interface ReportedClaim {
  result: Advised;
  compared: ComparedSides;
  sides: Record<Side, { files: readonly string[]; gauges: Gauges }>;
  asset: CalibrationAsset;
  model: { name: string; digest: string };
  /** ISO 8601. */
  at: string;
}

/** Warnings of scans that are not as those on which thresholds and probabilities were measured. */
const UNMEASURED: WarningKind[] = [
  'too_few_rough_scans',
  'insufficient_coverage',
  'off_manifold',
  'locally_polynomial',
];
const MEASURE_AGAIN =
  'Send unprocessed scans over the whole range, three or better six of the rough, re-seated in between. If it stays so, a person decides, by other evidence too.';

/** The meaning of the answer, and what to do: for a page and for a terminal. */
export function meaningOf(result: Advised): { means: string; todo: string } {
  const { verdict, action, action_reasons, shared_scans: shared } = result;
  const likely = likelyOf(result);
  if (shared > 0)
    return {
      means: `${shared === 1 ? 'A scan of the rough is a scan' : `${shared} scans of the rough are scans`} of the polish too, as sent or rounded, resampled or scaled. Such sides resemble each other whatever the stones are: the verdict says nothing.`,
      todo: 'Check the files, and send the scans of the two stones.',
    };
  if (verdict === 'MATCH' && action === 'review')
    return {
      means: `The score is above the threshold, but the claim is not to be accepted on it alone: ${action_reasons.map(({ text }) => text).join('; ')}. Two stones of one kind can score so too. ${likely}`,
      todo: MEASURE_AGAIN,
    };
  if (verdict === 'MATCH')
    return {
      means: `The score is above the threshold. ${likely}`,
      todo: 'Accept the claim; label it once the truth is known.',
    };
  if (action === 'review')
    return {
      means: `The score is not above the threshold, so the claim is not supported; and yet genuine claims often score so. It shows neither that the polish came from this rough nor that it did not. ${likely}`,
      todo: MEASURE_AGAIN,
    };
  return {
    means: `The score is not above the threshold: the claim is not supported. ${likely} This does not prove that the polish came from none of your roughs.`,
    todo: 'Reject the claim.',
  };
}

/** The probability, and of what stones it was measured: those of the population's own claims, or simulated ones. */
function likelyOf({ p_match_5050: p, warning_kinds: kinds }: Advised): string {
  if (!kinds.includes('uncalibrated_population'))
    return `If half of all claims were true, ${percent(p)} of those with this score would be.`;
  const unlike = kinds.some((kind) => UNMEASURED.includes(kind)) ? ', nor of scans like these (see the warnings)' : '';
  return `If half of all claims were true, ${percent(p)} of those with this score would be: so it is with simulated stones. Of real ones it is not known${unlike}.`;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
