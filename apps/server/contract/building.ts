/** What operations of the contract are made of. */
import { refusalPhrases } from '#spectra';
import { REFUSAL_STATUS } from '../http/answers.js';
import { PROBLEMS, type ProblemCode } from '../http/problem.js';
import { ref, type Schema } from './schemas.js';

export type Operation = { [key: string]: unknown };
export type Operations = Record<string, Record<string, Operation>>;

export const json = (schema: Schema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});
export const ok = (description: string, schema: Schema) => ({
  description,
  headers: { 'X-Request-Id': { description: 'as sent, or a fresh one', schema: { type: 'string' } } },
  content: json(schema),
});

/** Refusals by status: the codes given, and for scans every phrase of specification section 7. */
export function refusals(codes: ProblemCode[], scans = false): Record<string, unknown> {
  const texts = new Map<number, string[]>();
  const add = (status: number, phrase: string) => texts.set(status, [...(texts.get(status) ?? []), phrase]);
  if (scans)
    for (const [kind, phrase] of Object.entries(refusalPhrases))
      add(REFUSAL_STATUS[kind as keyof typeof refusalPhrases], phrase);
  for (const code of [...codes, 'fault'] as const) add(PROBLEMS[code][0], PROBLEMS[code][1]);
  return Object.fromEntries(
    [...texts].map(([status, phrases]) => [
      status,
      { description: [...new Set(phrases)].join('; '), content: json(ref('Problem')) },
    ]),
  );
}

export const query = (name: string, schema: Schema, description: string) => ({
  name,
  in: 'query',
  description,
  schema,
});
export const path = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});
export const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});
export const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values });
export const pages = [
  query('limit', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }, 'items a page'),
  query('cursor', { type: 'string' }, 'next_cursor of the page before'),
];

export const API_KEY = [{ apiKey: [] }];
export const OPERATOR = [{ operator: [] }];
