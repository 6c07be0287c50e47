export * from './environment.js';
export { ConfigurationError } from './error.js';
export * from './limits.js';
export { mayUse, type Operator, SCOPES, type Scope } from './operators.js';
