/** Refusals as the contract has them: statuses and texts come from where they are raised. */
import { Type } from 'typebox';
import { one, optional } from '#domain/schemas';
import { unavailableSentences } from '#kit/queue/port';
import { string } from '#kit/views/shapes';
import { refusalPhrases } from '#science/spectra/refusal';
import { FIXES } from './fixes.js';
import { ERRORS, type ErrorCode } from './problem.js';
import { shownSchema } from './schemas.js';

const problem = Type.Object(
  {
    detail: string('what is wrong, and where it helps, what to do'),
    code: Type.With(one(...(Object.keys(ERRORS) as ErrorCode[])), {
      description: 'which refusal this is, for programs; a code keeps its meaning',
    }),
    docs: string('where the page of the contract says more of the code, below the address of the service'),
    side: optional(Type.With(one('rough', 'polish'), { description: 'the side that is to blame, where it is one' })),
    file: optional(string('the file that is to blame, where it is one')),
    request_id: string('as X-Request-Id'),
  },
  { $id: 'Problem' },
);
const PROBLEM = shownSchema(problem);

/** Refusals of a claim's scans. */
export const OF_SCANS = Object.keys(refusalPhrases) as (keyof typeof refusalPhrases)[];
/** Refusals of whatever is to be scored. */
export const OF_SCORING = Object.keys(unavailableSentences).map(
  (reason) => `scoring_${reason as keyof typeof unavailableSentences}` as const,
);

/** Refusals of a credential's guard, by the name of its security scheme. */
const OF_SECURITY: Record<string, ErrorCode[]> = {
  apiKey: ['credential_api_key', 'credential_expired', 'credential_paused', 'too_many', 'misdirected'],
  operator: ['credential_operator', 'operator_scope', 'misdirected'],
  workspace: ['credential_workspace', 'too_many', 'misdirected'],
};

/** Responses by status. */
export function refusals(codes: readonly ErrorCode[], schemes: readonly string[]): Record<string, unknown> {
  const all = new Set<ErrorCode>([...schemes.flatMap((scheme) => OF_SECURITY[scheme]), ...codes]);
  if (all.size === 0) return {};
  if (all.has('busy')) all.add('store_unavailable');
  all.add('fault');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of all) byStatus.set(ERRORS[code][0], [...(byStatus.get(ERRORS[code][0]) ?? []), code]);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, refusal(status, those)]));
}

/** Headers of a status. */
const RETRY_AFTER = { 'Retry-After': { description: 'seconds', schema: { type: 'integer', minimum: 0 } } };
const HEADERS: Record<number, Record<string, { description: string; schema: object }>> = {
  401: { 'WWW-Authenticate': { description: 'the header that is missing or wrong', schema: { type: 'string' } } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

export const refusal = (status: number, codes: ErrorCode[]) => ({
  description: described(codes),
  ...(HEADERS[status] && { headers: HEADERS[status] }),
  content: {
    'application/json': { schema: { allOf: [{ properties: { code: { enum: codes } } }, PROBLEM] } },
  },
});

/** All codes for the description of the contract: a heading each, which `docs` of a refusal leads to. */
export const errorsInWords = (): string =>
  Object.entries(ERRORS)
    .sort(([, [a]], [, [b]]) => a - b)
    .map(([code, [status, text]]) => `### ${code}\n\n${status}: ${text}. ${FIXES[code as ErrorCode]}`)
    .join('\n\n');

function described(codes: ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${ERRORS[code][1]}. ${FIXES[code]}`).join('\n\n');
}
