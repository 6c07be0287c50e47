/** A population's own scorer: what is in force, what is proposed and what it brings. */
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ScorerDryRun, ScorerRecord, ScorerRung } from '#client';
import { useAnswer, useSession } from '../api.js';
import { count, digest, percent, rung } from '../format.js';
import { inWords } from '../words.js';
import { useAction } from './action.js';
import { DryRunResult } from './changed-claims.js';
import { Decide } from './decide.js';
import { Answer, Failure, Section } from './page.js';
import { Facts, Mark, Muted, Time } from './show.js';
import { type Column, Table } from './table.js';

const COLUMNS: Column<ScorerRung>[] = [
  { head: 'Rung', cell: (of) => rung(of.reject_target) },
  {
    head: 'Confirmed, raw',
    meaning: 'Share of the population’s own claims above its own threshold, by raw scores.',
    cell: (of) => percent(of.confirmed_raw),
    end: true,
  },
  { head: 'Confirmed, scorer', cell: (of) => percent(of.confirmed_mapped), end: true },
  {
    head: 'Wrong accepted, raw',
    meaning: 'Share of its wrong claims above the shipped threshold.',
    cell: (of) => percent(of.wrong_raw),
    end: true,
  },
  {
    head: 'Wrong accepted, scorer',
    meaning: 'At the threshold that the scorer brings.',
    cell: (of) => percent(of.wrong_mapped),
    end: true,
  },
];

function Proposed({ of }: { of: ScorerRecord }) {
  const { client, operator } = useSession();
  const { run, running, error, answer } = useAction<void, ScorerDryRun>(() => client.tryScorer(of.population));
  const { proposal, awaiting_second_operator: waiting } = of;
  if (!proposal) {
    const needed = of.groups_needed === null ? '' : ` The next one needs ${count(of.groups_needed)} distinct stones.`;
    return (
      <Muted>
        Nothing is proposed: {of.no_proposal === null ? 'no proposal' : inWords(of.no_proposal)}.{needed}
      </Muted>
    );
  }
  const own = waiting?.requested_by === operator.name;
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
            `${count(proposal.claims)} claims on ${count(proposal.groups)} distinct stones; ${count(proposal.trimmed)} look wrong and were left out`,
          ],
          [
            'proposal',
            <span key="d" title={proposal.proposal_digest}>
              {digest(proposal.proposal_digest)}
            </span>,
          ],
        ]}
      />
      <Table
        label="what the proposed scorer brings"
        columns={COLUMNS}
        rows={proposal.rungs}
        keyOf={(one) => rung(one.reject_target)}
      />
      <Group>
        <Button size="xs" variant="default" loading={running} onClick={() => run()}>
          Dry run at 0.98
        </Button>
      </Group>
      {error !== null && error !== undefined && <Failure error={error} />}
      {answer && <DryRunResult of={answer} />}
      {!own && (
        <Decide
          label="Approve the scorer"
          says="It then scores every claim of the population. Rungs approved under raw scores lapse until it is withdrawn."
          send={(reason) => client.approveScorer(of.population, { reason, proposalDigest: proposal.proposal_digest })}
        />
      )}
    </Stack>
  );
}

/** Changes with each decision and each proposal: a dry run is of one of these, and is not shown at the next. */
const stageOf = ({ proposal, awaiting_second_operator: waiting, in_force }: ScorerRecord) =>
  [proposal?.proposal_digest, waiting?.at, in_force?.approved_at].join();

export function ScorerSection({ population }: { population: string }) {
  const { client } = useSession();
  const answer = useAnswer(['scorer', population], (asked, signal) => asked.scorer(population, signal), {
    everyMs: 60_000,
  });
  return (
    <Section
      title="Scorer"
      meaning="A way of scoring that the population’s own claims teach, without labels. It counts only once it is approved."
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
                    ['from', `${count(of.in_force.claims)} claims on ${count(of.in_force.groups)} distinct stones`],
                    ['approved by', of.in_force.approved_by],
                    ['approved', <Time key="at" at={of.in_force.approved_at} />],
                    ['reason', of.in_force.reason],
                  ]}
                />
                <Decide
                  label="Withdraw the scorer"
                  says="Raw scores decide again, with the rungs approved under them."
                  danger
                  send={(reason) => client.withdrawScorer(population, { reason })}
                />
              </Stack>
            ) : (
              <Text size="sm">Claims are scored raw.</Text>
            )}
            <Proposed key={stageOf(of)} of={of} />
          </>
        )}
      </Answer>
    </Section>
  );
}
