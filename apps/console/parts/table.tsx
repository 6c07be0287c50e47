/** Rows of a listing. Only those in sight are in the page, so that thousands scroll as ten do. */
import { Anchor, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Link } from 'react-router';
import { Hint } from './hint.js';
import { useKept } from './kept.js';

export interface Column<T> {
  head: string;
  meaning?: string;
  cell: (row: T) => ReactNode;
  /** Of numbers. */
  end?: boolean;
  /** Left out on a narrow screen. */
  wide?: boolean;
  /** A row's value to sort by under this head, where all rows are there. */
  by?: (row: T) => string | number | null;
  /** The service's name of the order under this head. */
  order?: string;
}

/** The order in which the service lists. */
export interface Order {
  now: string;
  set: (order: string) => void;
}

interface TableProps<T> {
  /** Name of the rows, for those who do not see them. */
  label: string;
  columns: Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** Page of a row: its first cell links there. */
  to?: (row: T) => string | undefined;
  chosen?: string;
  order?: Order;
  /** Called when the end comes into sight. */
  more?: () => void;
  height?: string;
}

interface Sorted {
  head?: string;
  down?: boolean;
}

const ROW_PIXELS = 37;

export function Table<T>({
  label,
  columns,
  rows: given,
  keyOf,
  to,
  chosen,
  order,
  more,
  height = '70dvh',
}: TableProps<T>) {
  const view = useRef<HTMLElement>(null);
  const place = useKept<{ top: number }>(`place ${label}`, { top: 0 });
  const sorting = useKept<Sorted>(`order ${label}`, {});
  const rows = useMemo(
    () => (more ? given : inOrder(given, columns, sorting.value)),
    [given, columns, more, sorting.value],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 12,
    initialOffset: place.value.top,
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
    <section
      className="rows"
      ref={view}
      style={{ maxHeight: height }}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => place.keep({ top: currentTarget.scrollTop })}
      onKeyDown={walk}
    >
      <table className="figures" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head
                key={column.head}
                of={column}
                order={order}
                sorted={more ? undefined : sorting.value}
                sort={(to) => sorting.set(to)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Gap height={above} columns={columns.length} />}
          {shown.map(({ index }) => {
            const row = rows[index];
            const key = keyOf(row);
            const page = to?.(row);
            return (
              <tr key={key} data-row aria-rowindex={index + 2} data-chosen={key === chosen || undefined}>
                {columns.map(({ head, cell, end, wide }, i) => (
                  <td key={head} data-end={end || undefined} data-wide={wide || undefined}>
                    {i === 0 && page !== undefined ? (
                      <Anchor component={Link} to={page} size="sm" data-row-link>
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

interface HeadProps<T> {
  of: Column<T>;
  order: Order | undefined;
  /** None where not all rows are there, so that they cannot be sorted here. */
  sorted: Sorted | undefined;
  sort: (to: Sorted) => void;
}

/** A head that sorts is a button: by the service's order, or here, up and then down. */
function Head<T>({ of: { head, meaning, end, wide, by, order: name }, order, sorted, sort }: HeadProps<T>) {
  const marks = { 'data-end': end || undefined, 'data-wide': wide || undefined };
  if (name !== undefined && order)
    return (
      <th scope="col" aria-sort={order.now === name ? 'descending' : undefined} {...marks}>
        <UnstyledButton className="sorts" title={meaning} onClick={() => order.set(name)}>
          {head} {order.now === name ? '▾' : ''}
        </UnstyledButton>
      </th>
    );
  if (by && sorted) {
    const { down = false } = sorted.head === head ? sorted : { down: undefined };
    const on = sorted.head === head;
    return (
      <th scope="col" aria-sort={on ? (down ? 'descending' : 'ascending') : undefined} {...marks}>
        <UnstyledButton className="sorts" title={meaning} onClick={() => sort({ head, down: on && !down })}>
          {head} {on ? (down ? '▾' : '▴') : ''}
        </UnstyledButton>
      </th>
    );
  }
  return (
    <th scope="col" {...marks}>
      <Hint text={meaning}>{head}</Hint>
    </th>
  );
}

function inOrder<T>(rows: readonly T[], columns: Column<T>[], { head, down }: Sorted): readonly T[] {
  const by = columns.find((column) => column.head === head)?.by;
  if (!by) return rows;
  const compare = (a: T, b: T) => {
    const [one, other] = [by(a), by(b)];
    // Rows without a value stand last in either direction.
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const difference =
      typeof one === 'number' && typeof other === 'number' ? one - other : String(one).localeCompare(String(other));
    return down ? -difference : difference;
  };
  return rows.toSorted(compare);
}

/** Arrows go from row to row, where rows are links. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')];
  const to = links[links.indexOf(document.activeElement as HTMLElement) + by] ?? (by > 0 ? links.at(-1) : undefined);
  if (!to) return;
  event.preventDefault();
  to.focus();
}

const Gap = ({ height, columns }: { height: number; columns: number }) => (
  <tr>
    <td colSpan={columns} style={{ height, padding: 0 }} />
  </tr>
);
