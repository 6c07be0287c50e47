/**
 * Every refusal of the HTTP edge, once: status, the public text, and when it is told. The error catalogue in docs/ is
 * generated from this table. Texts of specification section 7 stand here literally.
 */
export const PROBLEMS = {
  credential_api_key: [401, 'valid X-Api-Key header required', 'the key is missing, unknown or revoked'],
  credential_operator: [401, 'valid X-Svc-Admin header required', 'the operator key is missing or unknown'],
  unreadable_json: [400, 'body is not valid JSON', 'the body of a JSON request cannot be parsed'],
  not_an_object: [400, 'JSON body must be an object', 'the body is JSON, but no object'],
  unreadable_multipart: [
    400,
    'no parseable spectra: the multipart body cannot be read',
    'the multipart body is malformed',
  ],
  bad_request: [400, 'the request is malformed', 'the request line, a header or a parameter cannot be understood'],
  no_route: [404, 'no such resource', 'the path is unknown'],
  not_found: [404, 'not found', 'the resource named in the path does not exist'],
  wrong_method: [405, 'method not allowed', 'the path exists, the method does not; Allow names those that do'],
  slow_request: [408, 'the request took too long to arrive', 'the body did not arrive within the time for a request'],
  conflict: [409, 'conflict', 'the name is taken, or the prefix fits several keys'],
  too_large: [413, 'the request body is too large', 'the body or one of its parts is over a limit'],
  wrong_content_type: [415, 'unsupported content type', 'the content type is not one the endpoint reads'],
  compressed: [415, 'a compressed request body is not accepted', 'Content-Encoding is other than identity'],
  unprocessable: [422, 'the request body does not have the expected shape', 'a field is missing or malformed'],
  too_many: [429, 'too many requests', 'the key sends more than its rate; Retry-After says when to go on'],
  headers_too_large: [431, 'the request headers are too large', 'the headers are over 16 KiB'],
  fault: [500, 'internal error; this request will fail again unchanged', 'a fault of the service; report X-Request-Id'],
  busy: [503, 'the service is busy', 'too much is waiting, or a part of the service is away; Retry-After says when'],
} as const satisfies Record<string, readonly [number, string, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

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
    this.headers = options.headers ?? {};
  }
}

/** The client went away: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
