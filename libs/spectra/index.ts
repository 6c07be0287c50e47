export * from './axis.js';
