/** Rows of a listing. Only those in sight are in the page, so that thousands scroll as ten do. */
import { Anchor } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Hint } from './show.js';

export interface Column<T> {
  head: string;
  meaning?: string;
  cell: (row: T) => ReactNode;
  /** Of numbers. */
  end?: boolean;
  /** Left out on a narrow screen. */
  wide?: boolean;
}

interface TableProps<T> {
  /** Name of the rows, for those who do not see them. */
  label: string;
  columns: Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** Page of a row: its first cell links there. */
  to?: (row: T) => string;
  chosen?: string;
  /** Called when the end comes into sight. */
  more?: () => void;
  height?: string;
}

const ROW_PIXELS = 37;

export function Table<T>({ label, columns, rows, keyOf, to, chosen, more, height = '70dvh' }: TableProps<T>) {
  const view = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 12,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (more && last >= rows.length - 1) more();
  }, [more, last, rows.length]);
  const at = chosen === undefined ? -1 : rows.findIndex((row) => keyOf(row) === chosen);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="rows" ref={view} style={{ maxHeight: height }} aria-label={label} tabIndex={0}>
      <table className="figures" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ head, meaning, end, wide }) => (
              <th key={head} scope="col" data-end={end || undefined} data-wide={wide || undefined}>
                <Hint text={meaning}>{head}</Hint>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Gap height={above} columns={columns.length} />}
          {shown.map(({ index }) => {
            const row = rows[index];
            const key = keyOf(row);
            return (
              <tr key={key} data-row aria-rowindex={index + 2} data-chosen={key === chosen || undefined}>
                {columns.map(({ head, cell, end, wide }, i) => (
                  <td key={head} data-end={end || undefined} data-wide={wide || undefined}>
                    {i === 0 && to ? (
                      <Anchor component={Link} to={to(row)} size="sm" data-row-link>
                        {cell(row)}
                      </Anchor>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <Gap height={below} columns={columns.length} />}
        </tbody>
      </table>
    </section>
  );
}

const Gap = ({ height, columns }: { height: number; columns: number }) => (
  <tr>
    <td colSpan={columns} style={{ height, padding: 0 }} />
  </tr>
);
