/** The service answered with a refusal: `{detail}` under a status of 400 or more. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';

  constructor(
    readonly status: number,
    /** What is wrong, as the service says it. */
    readonly detail: string,
    /** The service's X-Request-Id: quote it when you report a fault. */
    readonly requestId: string | undefined,
    /** Further members of the body, as `code`, `side` and `file`. */
    readonly body: Readonly<Record<string, unknown>> = {},
    /** Seconds to wait, where the service says so. */
    readonly retryAfter?: number,
  ) {
    super(`${status}: ${detail}`);
  }
}

/** 400, 413, 415 or 422: the same request will be refused again. */
export class RequestRefused extends ServiceError {
  override readonly name = 'RequestRefused';
}
/** 401: the key is missing, unknown or revoked. */
export class CredentialRefused extends ServiceError {
  override readonly name = 'CredentialRefused';
}
/** 404. */
export class NotFound extends ServiceError {
  override readonly name = 'NotFound';
}
/** 409: a name is taken, or what you decided on has changed. */
export class Conflict extends ServiceError {
  override readonly name = 'Conflict';
}
/** 429: the key sends more than its rate; `retryAfter` says when to go on. */
export class TooManyRequests extends ServiceError {
  override readonly name = 'TooManyRequests';
}
/** 500: a fault of the service; do not send it again, report it. */
export class ServiceFault extends ServiceError {
  override readonly name = 'ServiceFault';
}
/** 502, 503 or 504: busy or a part is away; later attempts may succeed. */
export class Unavailable extends ServiceError {
  override readonly name = 'Unavailable';
}

/** No answer: the network failed, or the time was over. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';
}

/** An answer that is not the service's: a proxy's page, a truncated body. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** What was given cannot be sent. */
export class BadInput extends TypeError {
  override readonly name = 'BadInput';
}

export function errorOf(
  status: number,
  body: Record<string, unknown>,
  requestId: string | undefined,
  retryAfter: number | undefined,
): ServiceError {
  const { detail, ...more } = body;
  const Kind = kindOf(status);
  return new Kind(status, typeof detail === 'string' ? detail : 'no detail', requestId, more, retryAfter);
}

function kindOf(status: number) {
  if (status === 401) return CredentialRefused;
  if (status === 404) return NotFound;
  if (status === 409) return Conflict;
  if (status === 429) return TooManyRequests;
  if (status === 502 || status === 503 || status === 504) return Unavailable;
  return status >= 500 ? ServiceFault : RequestRefused;
}
