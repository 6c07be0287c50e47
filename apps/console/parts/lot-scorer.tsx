/** A workspace's own lot scorer: what is in force, what is proposed and what it brings. */
import { Stack, Text } from '@mantine/core';
import type { LotScorerRecord } from '#client';
import { useAnswer, useSession } from '../api.js';
import { count, digest, percent } from '../format.js';
import { AuditBundle } from './audit-bundle.js';
import { Decide } from './decide.js';
import { Answer, Section } from './page.js';
import { Facts, Mark, Muted, Time } from './show.js';
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
      'In the checks that were made, each by a scorer that never saw its lot. Nobody knows which were exchanged.',
    shipped: percent(confirmed.shipped / returned),
    workspace: percent(confirmed.workspace / returned),
  },
];

function Proposed({ of }: { of: LotScorerRecord }) {
  const { client, operator } = useSession();
  const { proposal, awaiting_second_operator: waiting } = of;
  if (!proposal) return <Muted>Nothing is proposed: {of.no_proposal}.</Muted>;
  return (
    <Stack gap="sm">
      {waiting && (
        <Text size="sm">
          <Mark tone="ask">waits for a second operator</Mark> {waiting.requested_by} asked for it{' '}
          <Time at={waiting.at} as="ago" />: {waiting.reason}
        </Text>
      )}
      <Facts
        of={[
          [
            'fitted to',
            `${count(proposal.rests_on.length)} lots: ${count(proposal.members)} members, ${count(proposal.returned)} stones that came back`,
          ],
          ['checks that it would have decided otherwise', count(proposal.changed.length)],
          [
            'proposal',
            <span key="d" title={proposal.proposal_digest}>
              {digest(proposal.proposal_digest)}
            </span>,
          ],
        ]}
      />
      <Table
        label="what the proposed lot scorer brings"
        columns={COLUMNS}
        rows={gains(proposal)}
        keyOf={({ what }) => what}
      />
      {waiting?.requested_by !== operator.name && (
        <Decide
          label="Approve the lot scorer"
          says="It then decides checks and rehearsals of the workspace’s lots that are marked as unusual."
          send={(reason) => client.approveLotScorer(of.prefix, { reason, proposalDigest: proposal.proposal_digest })}
        />
      )}
    </Stack>
  );
}

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
                <Stack gap="sm">
                  <Facts
                    of={[
                      [
                        'in force',
                        <span key="s" title={of.in_force.scorer}>
                          {digest(of.in_force.scorer)}
                        </span>,
                      ],
                      ['from', `${count(of.in_force.lots)} lots`],
                      ['approved by', of.in_force.approved_by],
                      ['approved', <Time key="at" at={of.in_force.approved_at} />],
                      ['reason', of.in_force.reason],
                    ]}
                  />
                  <Decide
                    label="Withdraw the lot scorer"
                    says="The shipped scorer decides again. Answers that were given stay."
                    danger
                    send={(reason) => client.withdrawLotScorer(prefix, { reason })}
                  />
                </Stack>
              ) : (
                <Text size="sm">
                  The shipped scorer decides. {count(of.lots_marked)} of {count(of.lots)} lots are marked as unusual.
                </Text>
              )}
              <Proposed of={of} />
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
