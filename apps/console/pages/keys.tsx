/** Keys of machines and integrations, and what the signed-in operator may do. */
import { Anchor, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Key } from '#client';
import { useKeyList, useSession } from '../api.js';
import { CreateKey, RevokeKey } from '../parts/key-dialogues.js';
import { Listing } from '../parts/listing.js';
import { Page, Section } from '../parts/page.js';
import { Facts, Status, Time, Word } from '../parts/show.js';
import type { Column } from '../parts/table.js';
import { mayOperate } from '../session.js';

export const keyPage = ({ prefix }: { prefix: string }) => `/keys/${encodeURIComponent(prefix)}`;
const of = (page: string, { prefix }: Key) => `${page}?${new URLSearchParams({ key: prefix })}`;

const COLUMNS: Column<Key>[] = [
  { head: 'Name', by: ({ name }) => name, cell: ({ name }) => <span title={name}>{name}</span> },
  { head: 'State', by: ({ status }) => status, cell: ({ status }) => <Status code={status} /> },
  {
    head: 'Traffic',
    cell: (key) => (
      <>
        <Anchor component={Link} to={of('/claims', key)} size="sm">
          claims
        </Anchor>
        ,{' '}
        <Anchor component={Link} to={of('/telemetry', key)} size="sm">
          calls
        </Anchor>
      </>
    ),
    wide: true,
  },
  {
    head: 'Last used',
    by: ({ last_used_at }) => last_used_at,
    meaning: 'Of its latest claim, replay or refused claim.',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} as="ago" />),
    wide: true,
  },
  {
    head: 'Ends',
    by: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) => (expires_at === null ? 'never' : <Time at={expires_at} />),
    wide: true,
  },
  { head: 'Kind', by: ({ kind }) => kind, cell: ({ kind }) => <Word code={kind} />, wide: true },
  {
    head: 'Population',
    by: ({ population }) => population,
    cell: ({ population }) => <span title={population}>{population}</span>,
    wide: true,
  },
  { head: 'Prefix', by: ({ prefix }) => prefix, cell: ({ prefix }) => prefix, wide: true },
  {
    head: 'Created',
    by: ({ created_at }) => created_at,
    cell: ({ created_at, created_by }) => (
      <>
        <Time at={created_at} /> by {created_by}
      </>
    ),
    wide: true,
  },
];

export default function Keys() {
  const here = useSession();
  const keys = useKeyList();
  const [revoking, setRevoking] = useState<Key>();
  const operates = mayOperate(here);
  const columns: Column<Key>[] = operates
    ? [
        ...COLUMNS.slice(0, 2),
        {
          head: 'Revoke',
          cell: (key) =>
            key.status === 'revoked' ? (
              <Time at={key.revoked_at} />
            ) : (
              <Button size="compact-xs" variant="default" onClick={() => setRevoking(key)}>
                Revoke
              </Button>
            ),
        },
        ...COLUMNS.slice(2),
      ]
    : COLUMNS;
  return (
    <Page title="Keys" aside={operates && <CreateKey />}>
      <Section title="You" meaning="Operators stand in the service’s configuration (MVS_OPERATOR_KEYS).">
        <Facts
          of={[
            ['operator', here.operator.name],
            [
              'may',
              <Stack key="s" gap={0}>
                {here.operator.scopes.map((scope) => (
                  <Word key={scope} code={scope} />
                ))}
              </Stack>,
            ],
          ]}
        />
      </Section>
      <Listing
        answer={keys}
        of={['key', 'keys']}
        columns={columns}
        keyOf={({ prefix }) => prefix}
        to={keyPage}
        empty="There is no key yet: no claims can be sent."
      />
      <RevokeKey of={revoking} close={() => setRevoking(undefined)} />
    </Page>
  );
}
