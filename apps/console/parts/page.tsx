/** The parts of every page: a title, sections, and an answer that is waited for, failed or there. */
import { Alert, Anchor, Box, Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';
import { isLost, sentenceOf } from '../session.js';
import { Hint } from './hint.js';
import { withFilters } from './kept.js';

interface PageProps {
  title: string;
  /** One level up, for a page about one of many. */
  above?: { to: string; label: string };
  aside?: ReactNode;
  children: ReactNode;
}

export function Page({ title, above, aside, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Match verification`;
  }, [title]);
  return (
    <Stack gap="md">
      <Box>
        {above && (
          <Anchor component={Link} to={withFilters(above.to)} size="sm">
            ← {above.label}
          </Anchor>
        )}
        <Group justify="space-between" align="center">
          <Title order={1} size="h2" className="long">
            {title}
          </Title>
          {aside}
        </Group>
      </Box>
      {children}
    </Stack>
  );
}

interface SectionProps {
  title: string;
  meaning?: string;
  aside?: ReactNode;
  children: ReactNode;
}

export const Section = ({ title, meaning, aside, children }: SectionProps) => (
  <Paper withBorder p="md" component="section" aria-label={title}>
    <Group justify="space-between" mb="sm" gap="xs">
      <Title order={2} size="h4">
        <Hint text={meaning}>{title}</Hint>
      </Title>
      {aside}
    </Group>
    {children}
  </Paper>
);

export const Empty = ({ children }: { children: ReactNode }) => (
  <Text c="dimmed" py="lg" ta="center">
    {children}
  </Text>
);

export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const request = error instanceof Error && 'requestId' in error ? String(error.requestId ?? '') : '';
  return (
    <Alert color="red" variant="outline" title="This did not work" role="alert">
      <Text size="sm" className="long">
        {sentenceOf(error)}
      </Text>
      {request && (
        <Text size="xs" c="dimmed" className="long">
          request {request}
        </Text>
      )}
      {again && (
        <Button variant="default" size="xs" mt="xs" onClick={again}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

type Asked<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'isPlaceholderData'> & { refetch: () => unknown };

/** An answer once it is there. An earlier one stays while a newer one fails to come, and says so. */
export function Answer<T>({ to, children }: { to: Asked<T>; children: (data: T) => ReactNode }) {
  const { data, refetch, isPlaceholderData } = to;
  // The frame says once that the service is away.
  const error = isLost(to.error) ? null : to.error;
  if (data === undefined) {
    if (error) return <Failure error={error} again={() => void refetch()} />;
    return (
      <Group justify="center" py="xl">
        <Loader role="status" aria-label="waiting for the answer" />
      </Group>
    );
  }
  return (
    <Stack gap="md" className={isPlaceholderData ? 'stale' : undefined} aria-busy={isPlaceholderData}>
      {error && <Failure error={error} again={() => void refetch()} />}
      {children(data)}
    </Stack>
  );
}
