import { escapeControls } from '#science/spectra/refusal';
import { io } from './io.js';

/** A line on the standard output; nothing foreign in it can steer a terminal. */
export const print = (text: string): void => void io().stdout.write(`${escapeControls(text)}\n`);

/** The option of a command that answers in nothing else: a script may give it to each. */
export const ALWAYS_JSON = ['--json', 'the answer is always JSON'] as const;

/** A line on the standard error. */
export const printError = (text: string): void => void io().stderr.write(`${escapeControls(text)}\n`);
