/** Milliseconds since a moment of `performance.now()`, to the microsecond. */
export const since = (began: number): number => Math.round((performance.now() - began) * 1000) / 1000;
