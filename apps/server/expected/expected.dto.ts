/** Labels in the contract. The use case reads them one by one, so that one malformed item refuses no other. */
import { limits } from '#config';
import { type Expected, type LabelStatus, VERDICTS, type Verdict } from '#domain';
import { Flag, Integer, Nested, nullable, OneOf, optional, Text } from '../http/dto.js';
import { ref } from '../http/swagger.js';

export const EXPECTED = ['match', 'no_match'] as const;

export class Label {
  @Text('from a verify-match answer of the same key') claim_id!: string;
  @OneOf(EXPECTED, 'match: the same stone') expected!: Expected;
  @Text('your reference, echoed', optional) stone_id?: string;
  @Text(`at most ${limits.noteCharacters} characters`, { maxLength: limits.noteCharacters, ...optional }) note?: string;
}

const items = { type: 'array', items: ref('Label'), maxItems: limits.labels };
/** No class is one of two things. */
export const LABELS = { oneOf: [items, { type: 'object', properties: { items }, required: ['items'] }] };

export class LabelResult {
  @Text('as sent', nullable) claim_id!: string | null;
  @OneOf(['accepted', 'duplicate', 'amended', 'rejected']) status!: LabelStatus;
  @OneOf(EXPECTED, undefined, nullable) expected!: Expected | null;
  @OneOf(VERDICTS, undefined, nullable) verdict!: Verdict | null;
  @Flag('whether the label agrees with the verdict', nullable) agrees!: boolean | null;
  @Text('why it is rejected', optional) reason?: string;
  @Text('as sent', optional) stone_id?: string;
}

export class LabelCounts {
  @Integer('new labels') accepted!: number;
  @Integer('labels already held') duplicate!: number;
  @Integer('labels changed; both versions are kept') amended!: number;
  @Integer('unknown claims or malformed items') rejected!: number;
}

export class LabelResults {
  @Nested(() => [LabelResult], 'one for each item, in order') results!: LabelResult[];
  @Nested(() => LabelCounts) counts!: LabelCounts;
}
