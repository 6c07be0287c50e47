/** The streams of the event log, and one of them, oldest first, as operators may see it. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { NotFound } from '#client';
import { streams } from '#domain/streams';
import { useCalibrations, useKeyList, useStream } from '../api.js';
import { counted } from '../format.js';
import { useFilters } from '../parts/filters.js';
import { History } from '../parts/history.js';
import { Answer, Empty, Page } from '../parts/page.js';
import { type Column, Table } from '../parts/table.js';

const CHOICE = { stream: { label: 'Stream', kind: 'text' } } as const;

interface Stream {
  name: string;
  /** What its events are about. */
  of: string;
}

const COLUMNS: Column<Stream>[] = [
  { head: 'Stream', cell: ({ name }) => <span title={name}>{name}</span>, by: ({ name }) => name },
  { head: 'Events', cell: ({ of }) => of },
];

const WHOLE: Stream[] = [
  { name: streams.model(), of: 'switches of the live model' },
  { name: streams.views(), of: 'events that views pass over' },
  { name: streams.edge(), of: 'calls that no key answers for' },
  { name: streams.log(), of: 'the log itself: seals, imports, disowned rows' },
];

/** Of the service, its populations and its keys; those of single claims, findings and lots are too many to list. */
function Streams() {
  const populations = useCalibrations();
  const keys = useKeyList();
  const rows = [
    ...WHOLE,
    ...(populations.data ?? []).flatMap(({ population }) => [
      { name: streams.calibration(population), of: `approvals and withdrawals of ${population}` },
      { name: streams.drift(population), of: `drift of ${population}` },
    ]),
    ...(keys.data?.pages ?? []).flatMap(({ items }) =>
      items.flatMap(({ prefix, name }) => {
        const id = prefix.slice(prefix.lastIndexOf('_') + 1);
        return [
          { name: streams.key(id), of: `the key ${name}` },
          { name: streams.labels(id), of: `labels of ${name}` },
          { name: streams.telemetry(id), of: `refused and repeated calls of ${name}` },
        ];
      }),
    ),
  ];
  return (
    <Table
      label="streams"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ name }) => name}
      to={({ name }) => `/system/log?${new URLSearchParams({ stream: name })}`}
    />
  );
}

export default function Log() {
  const [{ stream = '' }, set] = useFilters(CHOICE);
  const events = useStream(stream);
  const open = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    set('stream', String(new FormData(event.currentTarget).get('stream')).trim());
  };
  return (
    <Page title="Streams of the log" above={{ to: '/system', label: 'System' }}>
      <form onSubmit={open}>
        <Group align="end" gap="xs">
          <TextInput
            label="Stream"
            description="One of those below, or of one claim, finding or lot, as review-clm_…"
            key={stream}
            name="stream"
            defaultValue={stream}
            w={{ base: '100%', sm: 420 }}
          />
          <Button type="submit">Open</Button>
        </Group>
      </form>
      {stream === '' ? (
        <Streams />
      ) : events.error instanceof NotFound ? (
        <Empty>Nothing was written to this stream yet, or there is none of this name.</Empty>
      ) : (
        <Answer to={events}>
          {({ pages }) => {
            const all = pages.flatMap(({ items }) => items);
            return (
              <>
                <Text size="sm" c="dimmed">
                  {counted(all.length, ['event', 'events'])}
                  {events.hasNextPage ? ' and more' : ''}
                </Text>
                <History of={all} />
                {events.hasNextPage && (
                  <Group>
                    <Button
                      variant="default"
                      loading={events.isFetchingNextPage}
                      onClick={() => void events.fetchNextPage()}
                    >
                      Next page
                    </Button>
                  </Group>
                )}
              </>
            );
          }}
        </Answer>
      )}
    </Page>
  );
}
