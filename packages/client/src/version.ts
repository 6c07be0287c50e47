/** Version of this package. */
export const VERSION = '0.2.0';

/** The contract that this package was made from: its path version and the service's version. */
export const CONTRACT = { version: 'v1', service: '0.2.0' } as const;

/** True if a version such as 0.9.1 is before another. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => /^\d+\.\d+\.\d+/.exec(text)?.[0].split('.').map(Number));
  if (!a || !b) return false;
  const at = a.findIndex((number, i) => number !== b[i]);
  return at >= 0 && a[at]! < b[at]!;
}
