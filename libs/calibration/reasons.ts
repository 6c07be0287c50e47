/** Why an operator's decision about a rung is refused, and why a rung has no proposal. */

import { CLAIMS_NEEDED, type RejectTarget, rungName } from '#science/calibration/ladder';
import { suffices } from '#science/calibration/proposal';
import type { CalibrationRefusal } from './decide.js';
import { type Placed } from './queries-proposals.js';

export const SENTENCES: Record<CalibrationRefusal, string> = {
  never_calibrated: 'this rung never settles and always runs on the shipped default',
  not_enough_claims: 'not enough claims are held for this rung',
  no_such_proposal:
    'the proposal is unknown or no longer stands: an approval, a withdrawal or a change of model came after it; look again',
  same_operator: 'a second named operator has to approve',
  not_calibrated: 'the rung runs on the shipped default already',
};

export function whyNone(rung: RejectTarget, held: number, measured: Placed | undefined): string {
  const needed = CLAIMS_NEEDED[rung];
  if (needed === undefined) return SENTENCES.never_calibrated;
  if (held < needed) return `${held} claims are held, rung ${rungName(rung)} needs ${needed}`;
  if (!measured) return 'the proposal is being measured; ask again';
  if (measured.reason) return measured.reason;
  return suffices(rung, measured)
    ? 'the proposal is being measured; ask again'
    : `the claims come from ${measured.roughs} rough and ${measured.polishes} polish stones, rung ${rungName(rung)} needs half of ${needed}`;
}
