/** Numbers and times as they are shown. */

const COUNT = new Intl.NumberFormat('en');
/** Every time but "3 minutes ago" reads like "2026-11-24 11:52:35 UTC", which the Swedish form is. */
const LOCAL = new Intl.DateTimeFormat('sv-SE', {
  ...{ day: '2-digit', month: '2-digit', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
});
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const count = (value: number): string => COUNT.format(value);
/** As "1 claim" and "2 claims". */
export const counted = (value: number, [one, many]: readonly [one: string, many: string]): string =>
  `${count(value)} ${value === 1 ? one : many}`;
/** Of a bounded count: "10,000+" where there are more. */
export const countOf = ({ total, total_exact }: { total: number; total_exact: boolean }): string =>
  `${count(total)}${total_exact ? '' : '+'}`;
export const percent = (share: number | null | undefined, digits = 1): string =>
  share === null || share === undefined ? '–' : `${(100 * share).toFixed(digits)}%`;
/** Scores, thresholds and probabilities: as many digits as tell neighbours apart. */
export const decimal = (value: number | null | undefined, digits = 4): string =>
  value === null || value === undefined ? '–' : value.toFixed(digits);
export const rung = (target: number): string => target.toFixed(2);
export const digest = (hex: string): string => hex.slice(0, 12);

export const localTime = (iso: string): string => LOCAL.format(new Date(iso));
/** Name of the zone in which times are shown, now. */
export const ZONE = LOCAL.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? 'local time';
export const utcTime = (iso: string): string =>
  `${new Date(iso)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`;

const STEPS: [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, 'second'],
  [3_600, 60, 'minute'],
  [86_400, 3_600, 'hour'],
  [Number.POSITIVE_INFINITY, 86_400, 'day'],
];

/** As "3 minutes ago". */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const [, size, unit] = STEPS.find(([limit]) => Math.abs(seconds) < limit)!;
  return RELATIVE.format(Math.round(seconds / size), unit);
}

/** A time as it is typed: local, without a zone. */
export function localInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace('T', ' ');
}
