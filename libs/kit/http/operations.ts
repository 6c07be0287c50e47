/** A handler's words in the contract, besides those of Nest's own decorators. */
import type { TSchema } from 'typebox';
import type { ErrorCode } from './problem.js';
import { shownSchema } from './schemas.js';
import { ApiExtension, ApiResponse } from './swagger.js';

export const REQUEST_ID = { 'X-Request-Id': { description: 'as sent, or a fresh one', schema: { type: 'string' } } };

export const Answers = (description: string, of: TSchema, status = 200) =>
  ApiResponse({ status, description, schema: shownSchema(of) as object, headers: REQUEST_ID });

/** A page or a picture. */
export const AnswersText = (description: string, type: string) =>
  ApiResponse({ status: 200, description, headers: REQUEST_ID, content: { [type]: { schema: { type: 'string' } } } });

const PAGE = { next_cursor: { type: 'string', nullable: true, description: 'for the next page; null on the last' } };
const COUNTED_PAGE = {
  ...PAGE,
  total: { type: 'integer', description: 'with total=true: items on all pages, 10,000 at most' },
  total_exact: { type: 'boolean', description: 'with total=true; false: there are more than 10,000' },
};

const pageAnswer = (description: string, item: TSchema, more: Record<string, object>) =>
  ApiResponse({
    status: 200,
    description,
    headers: REQUEST_ID,
    schema: {
      type: 'object',
      properties: { items: { type: 'array', items: shownSchema(item) as object }, ...more },
      required: ['items', 'next_cursor'],
    },
  });

/** One page of a listing. */
export const AnswersPage = (description: string, item: TSchema) => pageAnswer(description, item, PAGE);
/** One page of a listing that says how many there are where it is asked. */
export const AnswersCountedPage = (description: string, item: TSchema) => pageAnswer(description, item, COUNTED_PAGE);

/** Extensions of an operation from which its refusals are written; no document holds them (openapi.ts). */
export const REFUSALS = 'x-refusals';
export const BODY_REFUSALS = 'x-body-refusals';

/** Refusals besides those of its credential, of its body and of a fault. */
export const Refuses = (...codes: ErrorCode[]) => ApiExtension(REFUSALS, codes);

/** Sent twice, it does no more than sent once, though it is a POST: both clients send it again where no answer came. */
export const Repeatable = () => ApiExtension('x-repeatable', true);

/** One example of a body, under the name that the contract shows for it. */
export const example = (value: unknown) => ({ request: { value } });
