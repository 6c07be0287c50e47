/** A listing page by page: how many there are, its rows, and what stands there while there are none. */
import { Group, Stack, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Total } from '../api.js';
import { count } from '../format.js';
import { Answer, Empty } from './page.js';
import { type Column, Table } from './table.js';

interface Page<T> {
  items: T[];
}

interface ListingProps<T> {
  answer: UseInfiniteQueryResult<InfiniteData<Page<T>>> & { counted?: Total };
  /** Name of the rows, as "claims". */
  of: string;
  columns: Column<T>[];
  keyOf: (row: T) => string;
  to?: (row: T) => string;
  chosen?: string;
  /** Said in place of rows where there are none. */
  empty: ReactNode;
  aside?: ReactNode;
  height?: string;
}

export function Listing<T>({ answer, of, empty, aside, ...table }: ListingProps<T>) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, counted } = answer;
  return (
    <Answer to={answer}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items);
        return (
          <Stack gap="xs">
            <Group justify="space-between" gap="xs">
              <Text size="sm" c="dimmed" className="figures">
                {howMany(hasNextPage ? counted : undefined, rows.length, hasNextPage)} {of}
              </Text>
              {aside}
            </Group>
            {rows.length === 0 ? (
              <Empty>{empty}</Empty>
            ) : (
              <Table
                {...table}
                label={of}
                rows={rows}
                more={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
              />
            )}
          </Stack>
        );
      }}
    </Answer>
  );
}

/** All of them where that is known; else those that are shown, of more. */
function howMany(counted: Total | undefined, shown: number, more: boolean): string {
  if (counted?.total === undefined) return `${more ? 'more than ' : ''}${count(shown)}`;
  return `${counted.total_exact ? '' : 'more than '}${count(counted.total)}`;
}
