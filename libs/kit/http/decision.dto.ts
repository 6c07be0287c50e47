/** Bodies of operators' decisions. */
import { Digest, RequiredText } from './dto.js';

export class ReasonBody {
  @RequiredText()
  reason!: string;
}

export class Approval extends ReasonBody {
  @Digest('proposal_digest', 'digest of the proposal that the operator saw')
  proposal_digest!: string;
}
