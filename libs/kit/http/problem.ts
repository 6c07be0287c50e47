import { unavailableSentences } from '#kit/queue/port';
import { type RefusalKind, refusalPhrases, stoneRefusalPhrases } from '#science/spectra/refusal';

/** Statuses of the refusals of scans; their phrases stand where they are raised. */
const OF_INPUT: Record<RefusalKind, number> = {
  unparseable: 400,
  axis_shape: 422,
  side_shape: 422,
  non_finite: 400,
  flat: 400,
  no_identity: 400,
  not_diamond: 400,
  noise_character: 400,
  reject_target: 400,
  invalid_json: 400,
  not_an_object: 400,
  asset: 400,
  stone_name: 422,
  stone_count: 422,
  stone_scans: 422,
  enrolment_files: 400,
  copied_scans: 400,
};

/** Every refusal of the HTTP edge: status, the public text, and when it is sent. */
export const PROBLEMS = {
  credential_api_key: [401, 'valid X-Api-Key header required', 'the key is missing, unknown or revoked'],
  credential_expired: [401, 'valid X-Api-Key header required: this key has expired', 'the key is past its expires_at'],
  credential_paused: [401, 'valid X-Api-Key header required: this key is paused', 'an operator paused the key'],
  credential_operator: [401, 'valid X-Svc-Admin header required', 'the operator key is missing or unknown'],
  credential_workspace: [401, 'valid X-Svc-Token header required', 'the token is missing, unknown or revoked'],
  operator_scope: [403, 'the operator key is not for this', 'its scopes do not hold what the call needs'],
  invalid_json: [400, refusalPhrases.invalid_json, 'the body of a JSON request cannot be parsed'],
  unreadable_multipart: [400, 'no parseable spectra: the multipart body cannot be read', 'the body is malformed'],
  bad_request: [400, 'the request is malformed', 'the request line, a header or a parameter cannot be understood'],
  no_route: [404, 'no such resource', 'the path is unknown'],
  no_threshold: [400, 'there is no threshold parameter', 'a call of the lot product names one: scoring is fixed'],
  not_found: [404, 'not found', 'the resource named in the path does not exist'],
  wrong_method: [405, 'method not allowed', 'the path exists, the method does not; Allow names those that do'],
  slow_request: [408, 'the request took too long to arrive', 'its time was over, or it came below the least rate'],
  conflict: [
    409,
    'conflict',
    'the name is taken, the prefix fits several keys, somebody else decided first, or the log does not bear out what is asked for',
  ],
  too_large: [413, 'the request body is too large', 'the body or one of its parts is over a limit'],
  uri_too_long: [414, 'the address is too long', 'a part of the path is over 256 characters'],
  wrong_content_type: [415, 'unsupported content type', 'the content type is not one the endpoint reads'],
  compressed: [415, 'a compressed request body is not accepted', 'Content-Encoding is other than identity'],
  expectation: [417, 'the expectation cannot be met', 'Expect is other than 100-continue'],
  misdirected: [
    421,
    'this replica does not answer here',
    'the path is one of operators and the replica one for claims, or the other way round (MVS_ROLE): the proxy sends it to the wrong one',
  ],
  unprocessable: [422, 'the request body does not have the expected shape', 'a field is missing or malformed'],
  too_many: [429, 'too many requests', 'the key or token sends more than its rate'],
  headers_too_large: [431, 'the request headers are too large', 'request line and headers are over 16 KiB'],
  fault: [500, 'internal error; this request will fail again unchanged', 'a fault of the service; report request_id'],
  busy: [503, 'the service is busy', 'a part of the service has to catch up first'],
  bodies_full: [503, 'the service is busy: too many bytes are on their way', 'bodies fill the memory set aside'],
  store_unavailable: [503, 'the service is busy', 'the event log is away; the text goes on with what is known'],
  log_damaged: [
    503,
    'the event log is damaged',
    'a row of a stream that the call needs is damaged, and nothing is decided from the stream until an operator disowns the row',
  ],
  not_ready: [
    503,
    'the service is not ready',
    'GET /health/ready: a claim would not be served now; GET /health/detail tells operators more',
  ],
} as const satisfies Record<string, readonly [number, string, string]>;

export type ProblemCode = keyof typeof PROBLEMS;
type ScoringCode = `scoring_${keyof typeof unavailableSentences}`;
export type ErrorCode = RefusalKind | ScoringCode | ProblemCode;

/**
 * Every `code` that an answer may hold, with its status and the beginning of its `detail`: the one table from which the
 * answers, docs/reference/errors.md and OpenAPI are made. A code once published keeps its meaning.
 */
export const ERRORS = {
  ...(mapped({ ...refusalPhrases, ...stoneRefusalPhrases }, (kind, phrase) => [
    kind,
    [OF_INPUT[kind], phrase],
  ]) as Record<RefusalKind, StatusAndText>),
  ...(mapped(unavailableSentences, (reason, sentence) => [
    `scoring_${reason}`,
    [503, `${PROBLEMS.busy[1]}: ${sentence}`],
  ]) as Record<ScoringCode, StatusAndText>),
  ...(mapped(PROBLEMS, (code, [status, text]) => [code, [status, text]]) as Record<ProblemCode, StatusAndText>),
};

type StatusAndText = readonly [status: number, text: string];

function mapped<K extends string, V>(table: Record<K, V>, as: (key: K, value: V) => [string, StatusAndText]) {
  return Object.fromEntries(Object.entries<V>(table).map(([key, value]) => as(key as K, value)));
}

/** The advice about retries, on every page and answer that speaks of them. */
export const RETRY_ADVICE =
  'Retry only 408, 429, 502, 503, 504 and network failures, with backoff and not before Retry-After; whatever else is ' +
  'refused, a 500 too, will fail again unchanged.';

/** The header that a 401 asks for: schemes of our own, so that no browser opens a dialogue. */
const CHALLENGES: { [code in ProblemCode]?: string } = {
  credential_api_key: 'X-Api-Key realm="match-verification"',
  credential_expired: 'X-Api-Key realm="match-verification"',
  credential_paused: 'X-Api-Key realm="match-verification"',
  credential_operator: 'X-Svc-Admin realm="match-verification"',
  credential_workspace: 'X-Svc-Token realm="match-verification"',
};

/** A refusal on its way to the client: `{detail}` with the status of its code. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly headers: Record<string, string>;

  /** @param detail instead of the code's own text, or after it where it begins with a colon */
  constructor(
    readonly code: ProblemCode,
    detail?: string,
    options: ErrorOptions & { headers?: Record<string, string> } = {},
  ) {
    const [status, text] = PROBLEMS[code];
    super(detail === undefined ? text : detail.startsWith(':') ? `${text}${detail}` : detail, options);
    this.status = status;
    const challenge = CHALLENGES[code];
    this.headers = { ...(challenge && { 'www-authenticate': challenge }), ...options.headers };
  }
}

/** The client went away: there is no one left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
