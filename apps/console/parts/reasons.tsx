import type { ClaimRecord } from '#client';
import type { Fact } from './show.js';
import { Mark, Named } from './show.js';

/** Why a person should look at a claim before its answer is followed; nothing where none need. */
export const reasonsOf = ({ action_reasons: reasons = [] }: Pick<ClaimRecord, 'action_reasons'>): Fact =>
  reasons.length > 0 && [
    <Named code="action_reasons" />,
    reasons.map(({ code, text }) => (
      <Mark key={code} tone="doubt" title={text}>
        {text}
      </Mark>
    )),
  ];
