/** What a handler says of itself in the contract, besides what Nest's own decorators say. */
import { applyDecorators, type Type } from '@nestjs/common';
import type { ErrorCode } from './problem.js';
import { ApiExtension, ApiExtraModels, ApiResponse, ref } from './swagger.js';

export const REQUEST_ID = {
  'X-Request-Id': { description: 'as sent, or a fresh one', schema: { type: 'string' } },
};

export const Answers = (description: string, type: Type, status = 200) =>
  ApiResponse({ status, description, type, headers: REQUEST_ID });

/** A page or a picture. */
export const AnswersText = (description: string, type: string) =>
  ApiResponse({ status: 200, description, headers: REQUEST_ID, content: { [type]: { schema: { type: 'string' } } } });

/** One page of a listing. */
export const AnswersPage = (description: string, item: Type) =>
  applyDecorators(
    ApiExtraModels(item),
    ApiResponse({
      status: 200,
      description,
      headers: REQUEST_ID,
      schema: {
        type: 'object',
        properties: {
          items: { type: 'array', items: ref(item.name) },
          next_cursor: { type: 'string', nullable: true, description: 'for the next page; null on the last' },
        },
        required: ['items', 'next_cursor'],
      },
    }),
  );

/** Extensions of an operation from which its refusals are written; no document holds them (openapi.ts). */
export const REFUSALS = 'x-refusals';
export const BODY_REFUSALS = 'x-body-refusals';

/** Refusals besides those of its credential, of its body and of a fault. */
export const Refuses = (...codes: ErrorCode[]) => ApiExtension(REFUSALS, codes);

/** One example of a body, under the name that the contract shows for it. */
export const example = (value: unknown) => ({ request: { value } });
