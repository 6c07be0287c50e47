/** One stream of the event log, oldest first, as operators may see it. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useStream } from '../api.js';
import { counted } from '../format.js';
import { useFilters } from '../parts/filters.js';
import { History } from '../parts/history.js';
import { Answer, Empty, Page } from '../parts/page.js';

const CHOICE = { stream: { label: 'Stream', kind: 'text' } } as const;

export default function Log() {
  const [{ stream = '' }, set] = useFilters(CHOICE);
  const [typed, setTyped] = useState(stream);
  const events = useStream(stream);
  const open = (event: FormEvent) => {
    event.preventDefault();
    set('stream', typed.trim());
  };
  return (
    <Page title="Streams of the log" above={{ to: '/system', label: 'System' }}>
      <form onSubmit={open}>
        <Group align="end" gap="xs">
          <TextInput
            label="Stream"
            description="As calibration-antwerp, model or views: docs/reference/events.md lists them"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            w={{ base: '100%', sm: 420 }}
          />
          <Button type="submit">Open</Button>
        </Group>
      </form>
      {stream === '' ? (
        <Empty>Name a stream.</Empty>
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
