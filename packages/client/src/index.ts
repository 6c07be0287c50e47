export { type ClientOptions, type ListFilter, type LotScans, MatchVerification, type VerifyOptions } from './client.js';
export { type Decision, type DecisionOptions, decide } from './decide.js';
export {
  BadAnswer,
  BadInput,
  Conflict,
  ConnectionFailed,
  CredentialRefused,
  NotFound,
  RequestRefused,
  ServiceError,
  ServiceFault,
  TooManyRequests,
  Unavailable,
} from './errors.js';
export type * from './generated/contract.js';
export type { ScanFile, ScanNumbers, Side } from './scans.js';
