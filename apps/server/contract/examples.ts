/** Requests to each operation and its answers, shortened: `npm run examples` (tools/story.ts) writes them. */
import examples = require('./examples.json');

/** A call that was made, and its answer, shortened. */
export interface Example {
  /** With its query. */
  path: string;
  body?: unknown;
  /** Fields of a form; a file begins with @. */
  form?: (readonly [name: string, value: string])[];
  status: number;
  /** None of bytes. */
  answer?: unknown;
}

export const EXAMPLES = examples as unknown as Record<string, Example>;
