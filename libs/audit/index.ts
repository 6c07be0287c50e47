export * from './bundle.js';
export * from './obeyed.js';
export * from './unpack.js';
export * from './zip.js';
