export * from './environment.js';
export { ConfigurationError } from './error.js';
export { makeFolder, privateDatabase } from './folder.js';
export * from './limits.js';
export { refuseUnknownNames, unknownNames } from './names.js';
export { mayUse, type Operator, SCOPES, type Scope } from './operators.js';
export { packageFolder, packageVersion } from './version.js';
