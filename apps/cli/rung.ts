import { parseRejectTarget } from '#science/matching/verdict';
import { Refusal } from '#science/spectra/refusal';
import { UsageError } from './exit.js';

export const REJECT_TARGET_OPTION = [
  '--reject-target <share>',
  'share of wrong claims to reject: 0.90 to 0.99 in steps of 0.01 (default 0.98)',
] as const;

/** On the command line a wrong rung is a wrong option, not refused input. */
export function rungOf(text: string | undefined) {
  try {
    return parseRejectTarget(text);
  } catch (error) {
    throw error instanceof Refusal ? new UsageError(error.detail) : error;
  }
}
