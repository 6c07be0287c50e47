import { escapeControls } from '#spectra';

/** A line on the standard output; nothing foreign in it can steer a terminal. */
export const print = (text: string): void => console.log(escapeControls(text));

/** A line on the standard error. */
export const complain = (text: string): void => console.error(escapeControls(text));
