/** One key: whose it is, and what came with it over time. */
import { Anchor, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { Key } from '#client';
import { useKeyList, useSession, useTelemetry } from '../api.js';
import { useAction } from '../parts/action.js';
import { FilterBar, type Filters, useFilters } from '../parts/filters.js';
import { RevokeKey } from '../parts/key-dialogues.js';
import { bucketOf, OverTime } from '../parts/over-time.js';
import { Answer, Empty, Failure, Page, Section } from '../parts/page.js';
import { Facts, Muted, Status, Time, Word } from '../parts/show.js';
import { mayOperate } from '../session.js';

const WINDOW = {
  from: { label: 'From', kind: 'time', meaning: 'Ended at or after; 24 hours ago by default' },
  to: { label: 'To', kind: 'time', meaning: 'Ended before' },
} satisfies Filters;

export default function KeyPage() {
  const { prefix = '' } = useParams();
  const operates = mayOperate(useSession());
  const [window, set] = useFilters(WINDOW);
  const keys = useKeyList();
  const traffic = useTelemetry({ ...window, key: prefix, bucket: bucketOf(window) });
  const of = keys.data?.pages.flatMap(({ items }) => items).find((key) => key.prefix === prefix);
  return (
    <Page
      title={of?.name ?? prefix}
      above={{ to: '/keys', label: 'Keys' }}
      aside={
        <Group gap="xs">
          <Anchor component={Link} to={`/claims?${new URLSearchParams({ key: prefix })}`} size="sm">
            claims
          </Anchor>
          <Anchor component={Link} to={`/telemetry?${new URLSearchParams({ key: prefix })}`} size="sm">
            calls
          </Anchor>
        </Group>
      }
    >
      {of && (
        <Section title="Key" aside={<Status code={of.status} />}>
          <Facts
            of={[
              ['prefix', of.prefix],
              ['kind', <Word code={of.kind} />],
              ['population', of.population],
              ['created', <Created at={of.created_at} by={of.created_by} />],
              ['last used', of.last_used_at === null ? 'never' : <Time at={of.last_used_at} />],
              ['ends', of.expires_at === null ? 'never' : <Time at={of.expires_at} />],
              of.rate !== null && ['rate', `${of.rate} requests a second`],
              ['contact', of.contact ?? '–'],
              of.reads_population && ['reads', 'claims of all keys of its population'],
              of.revoked_at !== null && ['revoked', <Created at={of.revoked_at} by={of.revoked_by} />],
            ]}
          />
          {operates && of.revoked_at === null && <Acts of={of} />}
        </Section>
      )}
      <FilterBar filters={WINDOW} chosen={window} set={set} />
      <Section title="Traffic" meaning="Calls by hour, or by day in windows of more than four days; replays left out.">
        <Answer to={traffic}>
          {({ buckets = [], calls }) =>
            calls === 0 ? <Empty>No call came with this key in the window.</Empty> : <OverTime buckets={buckets} />
          }
        </Answer>
      </Section>
    </Page>
  );
}

function Acts({ of }: { of: Key }) {
  const { client } = useSession();
  const [revoking, setRevoking] = useState<Key>();
  const { run, running, error } = useAction(() => client.changeKey(of.prefix, { paused: !of.paused }));
  return (
    <Group mt="sm">
      <Button size="xs" variant="default" loading={running} onClick={() => run(undefined)}>
        {of.paused ? 'Resume' : 'Pause'}
      </Button>
      <Button size="xs" variant="default" onClick={() => setRevoking(of)}>
        Revoke
      </Button>
      {error ? <Failure error={error} /> : null}
      <RevokeKey of={revoking} close={() => setRevoking(undefined)} />
    </Group>
  );
}

const Created = ({ at, by }: { at: string; by: string | null }) => (
  <>
    <Time at={at} /> <Muted>by {by ?? 'nobody known'}</Muted>
  </>
);
