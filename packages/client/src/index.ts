export { type ClaimEvent, type LotScans, MatchVerification, type VerifyOptions } from './client.js';
export { type Decision, type DecisionOptions, decide } from './decide.js';
// Former names, for one release.
export {
  Aborted,
  Authentication,
  Authentication as CredentialRefused,
  BadInput,
  Conflict,
  ConnectionFailed,
  InvalidReceipt,
  InvalidRequest,
  InvalidRequest as RequestRefused,
  NotFound,
  PermissionDenied,
  RateLimited,
  RateLimited as TooManyRequests,
  ServiceError,
  ServiceFault,
  Timeout,
  Unavailable,
  UnexpectedAnswer,
  UnexpectedAnswer as BadAnswer,
} from './errors.js';
export type * from './generated/contract.js';
export type { Operation, Query } from './generated/operations.js';
export { type Receipt, type ReceiptSide, verifyReceipt } from './receipt.js';
export type { ScanFile, ScanNumbers, Side } from './scans.js';
export type { Call, CallOptions, ClientOptions, PerCall, SeenResponse, SentRequest } from './transport.js';
export { CONTRACT, VERSION } from './version.js';
/** The filter that every listing took in earlier versions; each has a type of its own now: `Query<'listClaims'>`. */
export type ListFilter = Record<string, string | number | boolean | undefined>;
