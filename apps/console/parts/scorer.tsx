/** A population's own scorer: what is in force, what is proposed and what it brings. */
import { Button, Group, Text } from '@mantine/core';
import type { ScorerDryRun, ScorerRecord, ScorerRung } from '#client';
import { useAnswer, useSession } from '../api.js';
import { count, percent, rung } from '../format.js';
import { useAction } from './action.js';
import { InForce, Proposed } from './approval.js';
import { DryRunResult } from './changed-claims.js';
import { Answer, Failure, Section } from './page.js';
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

/** The past claims that it would have decided otherwise: asked for, not shown unasked. */
function TryIt({ population }: { population: string }) {
  const { client } = useSession();
  const { run, running, error, answer } = useAction<void, ScorerDryRun>(() => client.tryScorer(population));
  return (
    <>
      <Group>
        <Button size="xs" variant="default" loading={running} onClick={() => run()}>
          Dry run at 0.98
        </Button>
      </Group>
      {error !== null && error !== undefined && <Failure error={error} />}
      {answer && <DryRunResult of={answer} />}
    </>
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
              <InForce
                of={of.in_force}
                from={`${count(of.in_force.claims)} claims on ${count(of.in_force.groups)} distinct stones`}
                withdraw={{
                  label: 'Withdraw the scorer',
                  says: 'Raw scores decide again, with the rungs approved under them.',
                  send: (withdrawal) => client.withdrawScorer(population, withdrawal),
                }}
              />
            ) : (
              <Text size="sm">Claims are scored raw.</Text>
            )}
            <Proposed
              key={stageOf(of)}
              of={of}
              none={[
                'No scorer is proposed',
                of.groups_needed === null ? '' : ` The next one needs ${count(of.groups_needed)} distinct stones.`,
              ]}
              facts={({ claims, groups, trimmed }) => [
                [
                  'fitted to',
                  `${count(claims)} claims on ${count(groups)} distinct stones; ${count(trimmed)} look wrong and were left out`,
                ],
              ]}
              approve={{
                label: 'Approve the scorer',
                says: 'It then scores every claim of the population. Rungs approved under raw scores lapse until it is withdrawn.',
                send: (approval) => client.approveScorer(population, approval),
              }}
            >
              {({ rungs }) => (
                <>
                  <Table
                    label="what the proposed scorer brings"
                    columns={COLUMNS}
                    rows={rungs}
                    keyOf={(one) => rung(one.reject_target)}
                  />
                  <TryIt population={population} />
                </>
              )}
            </Proposed>
          </>
        )}
      </Answer>
    </Section>
  );
}
