import type { Share } from './figures.js';

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)}%`;

/** `98.0% (97.5-98.5)`. */
export function withInterval({ share, interval: [low, high] }: Share, digits = 1): string {
  return `${percent(share, digits)} (${(100 * low).toFixed(digits)}-${(100 * high).toFixed(digits)})`;
}

/** `0.0071 (0.0065 to 0.0078)`. */
export const plain = ({ share, interval: [low, high] }: Share, digits = 3): string =>
  `${share.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;

export function table(head: string[], rows: (string | number)[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export const rung = (target: number): string => target.toFixed(2);

/** @param folder of the chapter */
export const picture = (name: string, text: string, folder = 'accuracy'): string => `![${text}](${folder}/${name})`;
