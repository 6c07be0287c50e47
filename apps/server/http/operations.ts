/** A handler's words in the contract, besides those of Nest's own decorators. */
import { applyDecorators, type Type } from '@nestjs/common';
import type { TSchema } from 'typebox';
import type { ErrorCode } from './problem.js';
import { shownSchema } from './schemas.js';
import { ApiExtension, ApiExtraModels, ApiResponse, ref } from './swagger.js';

export const REQUEST_ID = {
  'X-Request-Id': { description: 'as sent, or a fresh one', schema: { type: 'string' } },
};

/** A schema, or a class of an answer that is not described by one yet. */
type Answered = TSchema | Type;

export const Answers = (description: string, of: Answered, status = 200) =>
  typeof of === 'function'
    ? ApiResponse({ status, description, type: of, headers: REQUEST_ID })
    : ApiResponse({ status, description, schema: shownSchema(of) as object, headers: REQUEST_ID });

/** A page or a picture. */
export const AnswersText = (description: string, type: string) =>
  ApiResponse({ status: 200, description, headers: REQUEST_ID, content: { [type]: { schema: { type: 'string' } } } });

const PAGE = {
  next_cursor: { type: 'string', nullable: true, description: 'for the next page; null on the last' },
};
const COUNTED_PAGE = {
  ...PAGE,
  total: { type: 'integer', description: 'with total=true: items on all pages, 10,000 at most' },
  total_exact: { type: 'boolean', description: 'with total=true; false: there are more than 10,000' },
};

const pageAnswer = (description: string, item: Answered, more: Record<string, object>) =>
  applyDecorators(
    ...(typeof item === 'function' ? [ApiExtraModels(item)] : []),
    ApiResponse({
      status: 200,
      description,
      headers: REQUEST_ID,
      schema: {
        type: 'object',
        properties: {
          items: { type: 'array', items: typeof item === 'function' ? ref(item.name) : (shownSchema(item) as object) },
          ...more,
        },
        required: ['items', 'next_cursor'],
      },
    }),
  );

/** One page of a listing. */
export const AnswersPage = (description: string, item: Answered) => pageAnswer(description, item, PAGE);
/** One page of a listing that says how many there are where it is asked. */
export const AnswersCountedPage = (description: string, item: Answered) => pageAnswer(description, item, COUNTED_PAGE);

/** Extensions of an operation from which its refusals are written; no document holds them (openapi.ts). */
export const REFUSALS = 'x-refusals';
export const BODY_REFUSALS = 'x-body-refusals';

/** Refusals besides those of its credential, of its body and of a fault. */
export const Refuses = (...codes: ErrorCode[]) => ApiExtension(REFUSALS, codes);

/** One example of a body, under the name that the contract shows for it. */
export const example = (value: unknown) => ({ request: { value } });
