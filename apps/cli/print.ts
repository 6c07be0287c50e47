import { escapeControls } from '#science/spectra/refusal';

/** A line on the standard output; nothing foreign in it can steer a terminal. */
export const print = (text: string): void => console.log(escapeControls(text));

/** The option of a command that answers in nothing else: a script may give it to each. */
export const ALWAYS_JSON = ['--json', 'the answer is always JSON'] as const;

/** A line on the standard error. */
export const printError = (text: string): void => console.error(escapeControls(text));
