/** Labels in the contract. The use case reads them one by one, so that one malformed item refuses no other. */
import { type Static, Type } from 'typebox';
import { limits } from '#config/limits';
import { EXPECTED } from '#domain/shapes';
import { OneOf, optional, Text } from '#kit/http/dto';
import { ref } from '#kit/http/swagger';
import { integer } from '#kit/views/shapes';
import { labelResult } from './decide.js';
import type { Expected } from './events.js';

export class Label {
  @Text('from a verify-match answer of the same key') claim_id!: string;
  @OneOf(EXPECTED, 'match: the same stone') expected!: Expected;
  @Text('your reference, echoed', optional) stone_id?: string;
  @Text(`at most ${limits.noteCharacters} characters`, { maxLength: limits.noteCharacters, ...optional }) note?: string;
}

const items = { type: 'array', items: ref('Label'), maxItems: limits.labels };
/** No class is one of two things. */
export const LABELS = { oneOf: [items, { type: 'object', properties: { items }, required: ['items'] }] };

const labelCounts = Type.Object(
  {
    accepted: integer('new labels'),
    duplicate: integer('labels already held'),
    amended: integer('labels changed; both versions are kept'),
    rejected: integer('unknown claims or malformed items'),
  },
  { $id: 'LabelCounts' },
);

export const labelResults = Type.Object(
  { results: Type.Array(labelResult, { description: 'one for each item, in order' }), counts: labelCounts },
  { $id: 'LabelResults' },
);
export type LabelResults = Static<typeof labelResults>;
