/** A listing page by page: how many there are, its rows, and what stands there while there are none. */
import { Group, Stack, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Total } from '../api.js';
import { count, counted } from '../format.js';
import { Answer, Empty } from './page.js';
import { type Column, type Order, Table } from './table.js';

interface Page<T> {
  items: T[];
}

interface ListingProps<T> {
  answer: UseInfiniteQueryResult<InfiniteData<Page<T>>> & { counted?: Total };
  /** Names of a row and of rows, as "claim" and "claims". */
  of: readonly [one: string, many: string];
  columns: Column<T>[];
  keyOf: (row: T) => string;
  to?: (row: T) => string | undefined;
  order?: Order;
  chosen?: string;
  /** Said in place of rows where there are none. */
  empty: ReactNode;
  aside?: ReactNode;
  /** True where no further page is asked for. */
  still?: boolean;
  height?: string;
}

export function Listing<T>({ answer, of, empty, aside, still, ...table }: ListingProps<T>) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = answer;
  return (
    <Answer to={answer}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items);
        return (
          <Stack gap="xs">
            <Group justify="space-between" gap="xs">
              <Text size="sm" c="dimmed" className="figures">
                {howMany(hasNextPage ? answer.counted : undefined, rows.length, hasNextPage, of)}
              </Text>
              {aside}
            </Group>
            {rows.length === 0 ? (
              <Empty>{empty}</Empty>
            ) : (
              <Table
                {...table}
                label={of[1]}
                rows={rows}
                more={hasNextPage && !still && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
              />
            )}
          </Stack>
        );
      }}
    </Answer>
  );
}

/** All of them where that is known; else those that are shown, of more. */
function howMany(all: Total | undefined, shown: number, more: boolean, of: ListingProps<unknown>['of']): string {
  if (all?.total !== undefined) return `${all.total_exact ? '' : 'more than '}${counted(all.total, of)}`;
  return more ? `more than ${count(shown)} ${of[1]}` : counted(shown, of);
}
