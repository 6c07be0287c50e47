export { prepareUpload } from './prepare.js';
export * from './upload.js';
