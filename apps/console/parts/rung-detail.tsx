/** One rung of a population: what decides, what is proposed and what it would change, and the decision itself. */
import { Button, Grid, Group, Stack } from '@mantine/core';
import type { DryRun, Rung } from '#client';
import { useAnswer, useSession } from '../api.js';
import { count, decimal, percent, rung } from '../format.js';
import { useAction } from './action.js';
import { Proposed } from './approval.js';
import { DryRunResult } from './changed-claims.js';
import { Decide } from './decide.js';
import { Answer, Failure } from './page.js';
import { ScoreChart } from './score-chart.js';
import { Facts, Muted, Named, Status, Time } from './show.js';

const interval = ([low, high]: number[]) => `${decimal(low)} to ${decimal(high)}`;

function Scores({ population, target }: { population: string; target: Rung }) {
  const answer = useAnswer(
    ['calibration scores', population],
    (client, signal) => client.calibrationScores(population, {}, signal),
    { everyMs: false },
  );
  return (
    <Answer to={answer}>
      {(of) =>
        of.reason ? (
          <Muted>No distribution: {of.reason}.</Muted>
        ) : (
          <ScoreChart scores={of} target={target.reject_target} proposed={target.proposal ?? undefined} />
        )
      }
    </Answer>
  );
}

const factsOf = (proposal: NonNullable<Rung['proposal']>) =>
  [
    ['proposed threshold', `${decimal(proposal.threshold)} (95%: ${interval(proposal.interval)})`],
    [
      'wrong claims in 1,000 that pass',
      `${proposal.wrong_per_1000.toFixed(1)}; at the shipped threshold ${proposal.shipped_wrong_per_1000 ?? '–'}`,
    ],
    [
      <Named key="a" code="expected_genuine_accept" />,
      proposal.expected_genuine_accept === null
        ? `unknown: ${proposal.expected_genuine_accept_reason}`
        : percent(proposal.expected_genuine_accept),
    ],
    [
      'from',
      `${count(proposal.claims)} claims, ${count(proposal.roughs)} rough and ${count(proposal.polishes)} polished stones`,
    ],
  ] as const;

/** The past claims that the proposed threshold would have decided otherwise: asked for, not shown unasked. */
function TryIt({ population, of }: { population: string; of: Rung }) {
  const { client } = useSession();
  const { run, running, error, answer } = useAction<void, DryRun>(() =>
    client.tryThreshold(population, of.reject_target, {}),
  );
  return (
    <Stack gap="xs">
      <Group>
        <Button size="xs" variant="default" loading={running} onClick={() => run()}>
          Dry run
        </Button>
        <Muted>Which past claims would change. Changes nothing.</Muted>
      </Group>
      {error !== null && error !== undefined && <Failure error={error} />}
      {answer && <DryRunResult of={answer} />}
    </Stack>
  );
}

/** Changes with each decision and each proposal: a dry run is of one of these, and is not shown at the next. */
const stageOf = ({ proposal, awaiting_second_operator: waiting, approved_at }: Rung) =>
  [proposal?.proposal_digest, waiting?.at, approved_at].join();

/** @param of the rung as it is now */
export function RungDetail({ population, of }: { population: string; of: Rung }) {
  const { client } = useSession();
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="sm">
          <Facts
            of={[
              ['state', <Status key="s" code={of.state} />],
              [<Named key="t" code="threshold" />, decimal(of.threshold)],
              ['source', of.threshold_source],
              of.approved_by !== null && [
                'approved by',
                `${of.approved_by}${of.requested_by ? `, as ${of.requested_by} had asked` : ''}`,
              ],
              of.approved_at !== null && ['approved', <Time key="at" at={of.approved_at} />],
              of.reason !== null && ['reason', of.reason],
              of.evidence !== null && ['rests on', `${count(of.evidence.claims)} claims`],
              of.drift?.status != null && ['drift', <Status key="dr" code={of.drift.status} />],
              of.drift?.interval_now != null && ['interval today', interval(of.drift.interval_now)],
            ]}
          />
          {of.state === 'calibrated' && of.proposal?.threshold === of.threshold ? (
            <Muted>What is proposed decides already.</Muted>
          ) : (
            <Proposed
              key={stageOf(of)}
              of={of}
              none={['Nothing can be approved here']}
              facts={factsOf}
              approve={{
                label: 'Approve',
                says: 'The threshold then decides every claim of the population at this rung that begins after the answer.',
                send: (approval) => client.approve(population, of.reject_target, approval),
              }}
            >
              {() => <TryIt population={population} of={of} />}
            </Proposed>
          )}
          {of.state === 'calibrated' && (
            <Decide
              label="Withdraw"
              says={`The shipped threshold decides again at rung ${rung(of.reject_target)}.`}
              danger
              send={(reason) => client.withdraw(population, of.reject_target, { reason })}
            />
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Scores population={population} target={of} />
      </Grid.Col>
    </Grid>
  );
}
