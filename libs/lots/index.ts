export * from './bounds.js';
export * from './check.js';
export * from './encoder.js';
export * from './model.js';
export * from './rehearsal.js';
export * from './score.js';
export * from './session.js';
export * from './tray.js';
