/** A table of a few rows, all in the page: the first column names them. */
import type { ReactNode } from 'react';

interface ShortTableProps {
  /** For those who do not see it. */
  label: string;
  heads?: readonly ReactNode[];
  /** The columns from this one on are of numbers. */
  numbersFrom?: number;
  rows: readonly (readonly ReactNode[])[];
}

export function ShortTable({ label, heads, numbersFrom = Number.POSITIVE_INFINITY, rows }: ShortTableProps) {
  const end = (column: number) => column >= numbersFrom || undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="scrolls" aria-label={label} tabIndex={0}>
      <table className="short figures">
        {heads && (
          <thead>
            <tr>
              {heads.map((head, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                <th key={i} scope="col" data-end={end(i)}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map(([name, ...cells], row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their places
            <tr key={row}>
              <th scope="row">{name}</th>
              {cells.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                <td key={i} data-end={end(i + 1)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
