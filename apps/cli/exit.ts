/** Exit codes of `mvs`; 0 is done, and MATCH of `mvs verify`. */
export const Exit = { noMatch: 1, unsound: 1, refused: 2, usage: 3, fault: 4 } as const;

/** The command was called wrongly. */
export class UsageError extends Error {}

/** What was named or given cannot be worked on. */
export class InputError extends Error {}

/** What went wrong, on one line. */
export function oneSentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, ' ').trim();
}
