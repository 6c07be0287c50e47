export * from './bundle.js';
export { EVENT_LOOK } from './log-look.js';
export * from './moved.js';
export * from './obeyed.js';
export * from './unpack.js';
export * from './zip.js';
