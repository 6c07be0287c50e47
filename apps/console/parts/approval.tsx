/** What operators approve and withdraw: a rung's threshold, a population's scorer, a workspace's lot scorer. */
import { Alert, Stack, Text } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { useSession } from '../api.js';
import { digest } from '../format.js';
import { inWords } from '../words.js';
import { Decide } from './decide.js';
import { Facts, Muted, Time } from './show.js';

type FactList = ComponentProps<typeof Facts>['of'];
type Decision = Omit<ComponentProps<typeof Decide>, 'send' | 'danger'>;

/** A digest, shortened; whole on hover. */
const Digest = ({ of }: { of: string }) => <span title={of}>{digest(of)}</span>;

/** What every kind of record says of its proposal. */
export interface Proposable<Proposal> {
  proposal: Proposal | null;
  no_proposal: string | null;
  awaiting_second_operator: { requested_by: string; at: string; reason: string } | null;
}

interface ProposedProps<Proposal> {
  of: Proposable<Proposal>;
  /** Before the reason why there is none, and after it. */
  none: [before: string, after?: string];
  facts: (proposal: Proposal) => Readonly<FactList>;
  /** What it would bring. */
  children: (proposal: Proposal) => ReactNode;
  approve: Decision & { send: (approval: { reason: string; proposalDigest: string }) => Promise<unknown> };
}

export function Proposed<Proposal extends { proposal_digest: string }>(props: ProposedProps<Proposal>) {
  const { of, none, facts, children, approve } = props;
  const { operator } = useSession();
  const { proposal, awaiting_second_operator: waiting } = of;
  if (!proposal)
    return (
      <Muted>
        {none[0]}: {of.no_proposal === null ? 'no proposal' : inWords(of.no_proposal)}.{none[1]}
      </Muted>
    );
  const { proposal_digest: proposalDigest } = proposal;
  const own = waiting?.requested_by === operator.name;
  return (
    <Stack gap="sm">
      {waiting && (
        <Alert variant="outline" title="Waits for a second operator" role="status">
          <Text size="sm" className="long">
            {waiting.requested_by} asked for it <Time at={waiting.at} as="ago" />: {waiting.reason}
          </Text>
          {own && <Text size="sm">Another operator has to approve it.</Text>}
        </Alert>
      )}
      <Facts of={[...facts(proposal), ['proposal', <Digest key="d" of={proposalDigest} />]]} />
      {children(proposal)}
      {!own && <Decide {...approve} send={(reason) => approve.send({ reason, proposalDigest })} />}
    </Stack>
  );
}

interface InForceProps {
  of: { scorer: string; approved_by: string; approved_at: string; reason: string };
  from: string;
  withdraw: Decision & { send: (withdrawal: { reason: string }) => Promise<unknown> };
}

/** A scorer that decides, and its end. */
export const InForce = ({ of, from, withdraw }: InForceProps) => (
  <Stack gap="sm">
    <Facts
      of={[
        ['in force', <Digest key="s" of={of.scorer} />],
        ['from', from],
        ['approved by', of.approved_by],
        ['approved', <Time key="at" at={of.approved_at} />],
        ['reason', of.reason],
      ]}
    />
    <Decide {...withdraw} danger send={(reason) => withdraw.send({ reason })} />
  </Stack>
);
