import { getSystemErrorMap } from 'node:util';

/** Exit codes of `mvs`; 0 is done, and MATCH of `mvs verify`. */
export const Exit = { noMatch: 1, unsound: 1, refused: 2, usage: 3, fault: 4, review: 5 } as const;

/** The meaning of each code, for every command: help and the page of commands print it. */
export const EXIT_CODES = [
  'done; verify: MATCH to be accepted; lots check: all are confirmed; audit verify, events verify: sound',
  'the answer is no; verify: NO_MATCH; lots check: not all are confirmed; vendor: not found; audit, events verify: not sound',
  'refused: what was given cannot be worked on; audit verify: no bundle, or no file of that name',
  'wrong usage: an option, a setting, a path that is missing or cannot be written',
  'a fault of the program, or of the service that it asked; submit: some claims are left',
  'verify: a person should look: a MATCH with action review, or scans of the rough that are scans of the polish too, whatever the verdict',
] as const;

/** The command was called wrongly. */
export class UsageError extends Error {}

/** A file or value that the caller gave cannot be worked on. */
export class InputError extends Error {}

/** True if a path that the caller named does not exist, is full, may not be written and the like. */
export const isOfFileSystem = (error: unknown): error is NodeJS.ErrnoException & { path: string } =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).path === 'string' && 'errno' in error;

/** An error's message on one line. */
export function oneSentence(error: unknown): string {
  if (isOfFileSystem(error)) return `${error.path}: ${getSystemErrorMap().get(Number(error.errno))?.[1] ?? error.code}`;
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, ' ').trim();
}
