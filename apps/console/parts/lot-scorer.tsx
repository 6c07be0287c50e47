/** A workspace's own lot scorer: what is in force, what is proposed and what it brings. */
import { Text } from '@mantine/core';
import type { LotScorerRecord } from '#client';
import { useAnswer, useSession } from '../api.js';
import { count, percent } from '../format.js';
import { InForce, Proposed } from './approval.js';
import { AuditBundle } from './audit-bundle.js';
import { Answer, Section } from './page.js';
import { type Column, Table } from './table.js';

interface Gain {
  what: string;
  meaning: string;
  shipped: string;
  workspace: string;
}

const COLUMNS: Column<Gain>[] = [
  { head: 'Figure', cell: ({ what, meaning }) => <span title={meaning}>{what}</span> },
  { head: 'Shipped', cell: ({ shipped }) => shipped, end: true },
  { head: 'Proposed', cell: ({ workspace }) => workspace, end: true },
];

type Proposal = NonNullable<LotScorerRecord['proposal']>;

const gains = ({ caught, one_stone_false_accept: alone, confirmed, returned }: Proposal): Gain[] => [
  {
    what: 'Substitutes caught',
    meaning: 'As rehearsed with the members of the lots, a fifth of each exchanged.',
    shipped: percent(caught.shipped),
    workspace: percent(caught.workspace),
  },
  {
    what: 'Foreign stone alone confirmed',
    meaning: 'Share of single substitutes that some member would confirm.',
    shipped: percent(alone.shipped),
    workspace: percent(alone.workspace),
  },
  {
    what: 'Returned stones confirmed',
    meaning:
      'In the checks that were made, each by a scorer that never saw its lot. Which were exchanged is not known.',
    shipped: percent(confirmed.shipped / returned),
    workspace: percent(confirmed.workspace / returned),
  },
];

export function LotScorerSection({ prefix }: { prefix: string }) {
  const { client } = useSession();
  const answer = useAnswer(['lot scorer', prefix], (asked, signal) => asked.lotScorer(prefix, signal), {
    everyMs: 60_000,
  });
  return (
    <>
      <Section
        title="Scorer"
        meaning="A way of scoring that the workspace’s own lots teach, without labels. It counts only once it is approved."
      >
        <Answer to={answer}>
          {(of) => (
            <>
              {of.in_force ? (
                <InForce
                  of={of.in_force}
                  from={`${count(of.in_force.lots)} lots`}
                  withdraw={{
                    label: 'Withdraw the lot scorer',
                    says: 'The shipped scorer decides again. Answers that were given stay.',
                    send: (withdrawal) => client.withdrawLotScorer(prefix, withdrawal),
                  }}
                />
              ) : (
                <Text size="sm">
                  The shipped scorer decides. {count(of.lots_marked)} of {count(of.lots)} lots are marked as unusual.
                </Text>
              )}
              <Proposed
                of={of}
                none={['No scorer is proposed']}
                facts={({ rests_on, members, returned, changed }) => [
                  [
                    'fitted to',
                    `${count(rests_on.length)} lots: ${count(members)} members, ${count(returned)} stones that came back`,
                  ],
                  ['checks that it would have decided otherwise', count(changed.length)],
                ]}
                approve={{
                  label: 'Approve the lot scorer',
                  says: 'It then decides checks and rehearsals of the workspace’s lots that are marked as unusual.',
                  send: (approval) => client.approveLotScorer(prefix, approval),
                }}
              >
                {(proposal) => (
                  <Table
                    label="what the proposed lot scorer brings"
                    columns={COLUMNS}
                    rows={gains(proposal)}
                    keyOf={({ what }) => what}
                  />
                )}
              </Proposed>
            </>
          )}
        </Answer>
      </Section>
      {(answer.data?.approvals.length ?? 0) > 0 && (
        <AuditBundle
          name={prefix}
          fetch={(asked) => asked.raw('getLotAuditBundle', { path: { token_prefix: prefix } })}
        />
      )}
    </>
  );
}
