/** A setting that makes no sense, told in a sentence that names it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** An address as messages have it: without user and password. */
export const shown = (address: string): string => address.replace(/\/\/[^/]*@/, '//');
