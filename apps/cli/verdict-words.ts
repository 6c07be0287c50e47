/** A verdict in words: its meaning, and what to do. */
import type { CalibrationAsset } from '#science/calibration/asset';
import type { adviceOf } from '#science/matching/action';
import type { VerificationResult } from '#science/matching/result';
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

/** The meaning of the answer, and what to do: for a page and for a terminal. */
export function meaningOf({ verdict, action, action_reasons, shared_scans: shared, p_match_5050: p }: Advised): {
  means: string;
  todo: string;
} {
  const likely = `If half of all claims were true, ${percent(p)} of those with this score would be.`;
  if (shared > 0)
    return {
      means: `${shared === 1 ? 'A scan of the rough is a scan' : `${shared} scans of the rough are scans`} of the polish too, as sent or rounded, resampled or scaled. Such sides resemble each other whatever the stones are: the verdict says nothing.`,
      todo: 'Check the files, and send the scans of the two stones.',
    };
  if (verdict === 'MATCH' && action === 'review')
    return {
      means: `The score is above the threshold, but the claim is not to be accepted on it alone: ${action_reasons.map(({ text }) => text).join('; ')}. ${likely}`,
      todo: 'Send unprocessed scans over the whole range, three or better six of the rough, re-seated in between. If it stays so, a person decides.',
    };
  if (verdict === 'MATCH')
    return {
      means: `The score is above the threshold. ${likely}`,
      todo: 'Accept the claim; label it once the truth is known.',
    };
  if (action === 'review')
    return {
      means: `The score is not above the threshold, so the claim is not supported; and yet genuine claims often score so. ${likely}`,
      todo: 'Measure the rough again (six scans, re-seated in between) and send the claim again. If it stays so, a person decides.',
    };
  return {
    means: `The score is not above the threshold: the claim is not supported. ${likely} This does not prove that the polish came from none of your roughs.`,
    todo: 'Reject the claim.',
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
