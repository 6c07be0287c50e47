/** What operations of the contract are made of. */
import { unavailableSentences } from '#scoring';
import { refusalPhrases } from '#spectra';
import { ERRORS, type ErrorCode, type ProblemCode, RETRY_ADVICE } from '../http/problem.js';
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

const OF_SCANS = Object.keys(refusalPhrases) as (keyof typeof refusalPhrases)[];
const OF_SCORING = Object.keys(unavailableSentences).map(
  (reason) => `scoring_${reason as keyof typeof unavailableSentences}` as const,
);

/** Refusals by status: the codes given, for claims those of scans and of scoring, for lots those of scoring. */
export function refusals(given: ErrorCode[], scored?: 'claims' | 'lots'): Record<string, unknown> {
  const codes = new Set<ErrorCode>([
    ...(scored === 'claims' ? OF_SCANS : []),
    ...(scored ? OF_SCORING : []),
    ...given,
    'fault',
  ]);
  if (given.includes('busy')) codes.add('store_unavailable');
  if (given.includes('credential_operator')) codes.add('operator_scope');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(ERRORS[code][0], [...(byStatus.get(ERRORS[code][0]) ?? []), code]);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, refusal(status, those)]));
}

/** What a status says in a header. */
const HEADERS: Record<number, Record<string, { description: string; schema: Schema }>> = {
  401: { 'WWW-Authenticate': { description: 'the header that is asked for', schema: { type: 'string' } } },
  429: { 'Retry-After': { description: 'seconds', schema: { type: 'integer', minimum: 0 } } },
  503: { 'Retry-After': { description: 'seconds', schema: { type: 'integer', minimum: 0 } } },
};

export const refusal = (status: number, codes: ErrorCode[]) => ({
  description: described(codes),
  ...(HEADERS[status] && { headers: HEADERS[status] }),
  content: json(problem(codes)),
});

const described = (codes: ErrorCode[]) => {
  const texts = codes.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join('; ');
  return codes.includes('fault') ? `${texts}. ${RETRY_ADVICE}` : texts;
};

const problem = (codes: ErrorCode[]): Schema => ({
  allOf: [ref('Problem'), { properties: { code: { enum: codes } } }],
});

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

/** Codes of every refusal of what an operator writes. */
export const WRITING: ProblemCode[] = [
  'invalid_json',
  'credential_operator',
  'too_large',
  'wrong_content_type',
  'unprocessable',
  'busy',
];

export const API_KEY = [{ apiKey: [] }];
export const OPERATOR = [{ operator: [] }];
export const WORKSPACE = [{ workspace: [] }];
