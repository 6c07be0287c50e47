import { ConfigurationError } from './error.js';

/** The setting: templates of scan files' names by population. */
export const STONE_PATTERNS = {
  name: 'MVS_STONE_PATTERNS',
  fallback: '',
  read: readStonePatterns,
  text: 'templates of scan files’ names by population, as {"lab-a": "{stone}_{side}_{scan}"}: {stone} is the reference, {side} a word for rough or polish, {scan} a number, * anything; a name that does not fit has no reference. Unset: as in scan-files.md',
};

/** @throws ConfigurationError */
function readStonePatterns(value: string): ReadonlyMap<string, string> {
  let read: unknown;
  try {
    read = JSON.parse(value || '{}');
  } catch {
    read = undefined;
  }
  const isObject = typeof read === 'object' && read !== null && !Array.isArray(read);
  const entries = Object.entries(isObject ? (read as object) : {});
  if (!isObject || !entries.every(([, template]) => typeof template === 'string'))
    throw new ConfigurationError('MVS_STONE_PATTERNS must be JSON as {"population": "{stone}_{side}_{scan}"}');
  return new Map(entries);
}
