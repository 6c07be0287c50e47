// npm start: from a fresh clone to a running service with three claims answered.
import { prepare } from './prepare.mjs';

prepare();
await import('../dist/programs/lab/demo.js');
