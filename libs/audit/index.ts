export * from './bundle.js';
export * from './chain.js';
export * from './unpack.js';
export * from './zip.js';
