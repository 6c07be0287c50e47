import type { Problem } from './generated/contract.js';

/** The service answered with a refusal: `{detail}` under a status of 400 or more. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';

  constructor(
    readonly status: number,
    /** The fault, in the service's words. */
    readonly detail: string,
    /** The service's X-Request-Id: quote it when you report a fault. */
    readonly requestId: string | undefined,
    /** All other members of the body. */
    readonly body: Readonly<Record<string, unknown>> = {},
    /** Seconds to wait, where the service says so. */
    readonly retryAfter?: number,
  ) {
    super(`${status}: ${detail}`);
  }

  /** The kind of refusal, for programs; undefined if something before the service answered, such as a proxy. */
  get code(): Problem['code'] | undefined {
    return this.body.code as Problem['code'] | undefined;
  }
  /** Where the contract's page says more of it, below the service's address. */
  get docs(): string | undefined {
    return this.body.docs as string | undefined;
  }
  /** The side that is to blame, where it is one. */
  get side(): Problem['side'] {
    return this.body.side as Problem['side'];
  }
  /** The file that is to blame, where it is one. */
  get file(): string | undefined {
    return this.body.file as string | undefined;
  }
  /** The fault of each file, if the service names several. */
  get findings(): readonly unknown[] {
    return Array.isArray(this.body.findings) ? this.body.findings : [];
  }
}

/** 400, 413, 415, 422 and every other refusal of the request: it will be refused again. */
export class InvalidRequest extends ServiceError {
  override readonly name: string = 'InvalidRequest';
}
/** 401: the key is missing, unknown or revoked. */
export class Authentication extends ServiceError {
  override readonly name = 'Authentication';
}
/** 403: the key is not for this. */
export class PermissionDenied extends InvalidRequest {
  override readonly name = 'PermissionDenied';
}
/** 404. */
export class NotFound extends ServiceError {
  override readonly name = 'NotFound';
}
/** 409: a name is taken, or what you decided on has changed. */
export class Conflict extends ServiceError {
  override readonly name = 'Conflict';
}
/** 429, after all retries: the key sends more than its rate; `retryAfter` says when to go on. */
export class RateLimited extends ServiceError {
  override readonly name = 'RateLimited';
}
/** 500: a fault of the service; do not send it again, report it. */
export class ServiceFault extends ServiceError {
  override readonly name = 'ServiceFault';
}
/** 502, 503 or 504, after all retries: busy or a part is away. */
export class Unavailable extends ServiceError {
  override readonly name = 'Unavailable';
}

/** No answer: the network failed. */
export class ConnectionFailed extends Error {
  override readonly name: string = 'ConnectionFailed';
}
/** No answer within `timeout`. */
export class Timeout extends ConnectionFailed {
  override readonly name = 'Timeout';
}
/** Your signal ended the call; `cause` is its reason. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}
/** An answer that is not the service's: a page, an array, a redirect. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}
/** The arguments cannot be sent; nothing was. */
export class BadInput extends TypeError {
  override readonly name = 'BadInput';
}
/** A receipt that does not hold; the message says why. */
export class InvalidReceipt extends Error {
  override readonly name = 'InvalidReceipt';
}

export function errorOf(
  status: number,
  body: Record<string, unknown>,
  requestId: string | undefined,
  retryAfter: number | undefined,
): ServiceError {
  const { detail, ...more } = body;
  const Kind = kindOf(status);
  const said = typeof detail === 'string' ? detail : 'refused without a detail, so not by the service itself';
  return new Kind(status, said, requestId, more, retryAfter);
}

function kindOf(status: number) {
  if (status === 401) return Authentication;
  if (status === 403) return PermissionDenied;
  if (status === 404) return NotFound;
  if (status === 409) return Conflict;
  if (status === 429) return RateLimited;
  if (status === 502 || status === 503 || status === 504) return Unavailable;
  return status >= 500 ? ServiceFault : InvalidRequest;
}
