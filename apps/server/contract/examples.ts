/** Requests to each operation and its answers, shortened: `npm run examples` (tools/story.ts) writes them. */
import type { Example } from './samples.js';

import examples = require('./examples.json');

export const EXAMPLES = examples as unknown as Record<string, Example>;
