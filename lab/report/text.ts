import type { Share } from './figures.js';

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)}%`;

/** `98.0% (97.5-98.5)`. */
export function withInterval({ share, interval: [low, high] }: Share, digits = 1): string {
  return `${percent(share, digits)} (${(100 * low).toFixed(digits)}-${(100 * high).toFixed(digits)})`;
}

export function table(head: string[], rows: (string | number)[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Members that are columns of rows of their own: one row a rung, one a pair. */
const ROWS = ['rungs', 'pairs'];
/** Rungs that are shown; the figures' file has all. */
const SHOWN = [0.98, 0.96, 0.9];

/** Figures of one kind as a table: a column for each member, shares with their 95% intervals in percent. */
export function tableOf(figures: readonly object[]): string {
  const rows = figures.flatMap(rowsOf);
  const head = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return table(
    head,
    rows.map((row) => head.map((column) => row[column] ?? '')),
  );
}

function rowsOf(figure: object): Record<string, string>[] {
  const members = Object.entries(figure);
  const own = cellsOf(members.filter(([name]) => !ROWS.includes(name)));
  const lists = members.filter(([name, value]) => ROWS.includes(name) && Array.isArray(value));
  if (lists.length === 0) return [{ ...own, ...cellsOf(members.filter(([name]) => ROWS.includes(name))) }];
  return lists
    .flatMap(([, list]) => list as { rejectTarget?: number }[])
    .filter(({ rejectTarget }) => rejectTarget === undefined || SHOWN.includes(rejectTarget))
    .map((row) => ({ ...own, ...cellsOf(Object.entries(row)) }));
}

/** Lists are left out. */
function cellsOf(members: [string, unknown][], within = ''): Record<string, string> {
  return Object.assign(
    {},
    ...members.map(([member, value]) => {
      const name = `${within}${member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
      if (typeof value === 'string') return { [name]: value };
      if (typeof value === 'number')
        return { [name]: Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))) };
      if (typeof value === 'boolean') return { [name]: value ? 'yes' : 'no' };
      if (value === null) return { [name]: '-' };
      if (typeof value !== 'object' || Array.isArray(value)) return {};
      if ('share' in value && 'interval' in value) return { [name]: withInterval(value as Share) };
      return cellsOf(Object.entries(value), `${name} `);
    }),
  );
}
