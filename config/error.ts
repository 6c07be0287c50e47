/** A setting that makes no sense, told in a sentence that names it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
