/** The outcome of a verification in words, to be read and printed by an auditor who is no programmer. */
import { Alert, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { count, decimal, localTime, rung } from '../format.js';
import { Muted } from '../parts/show.js';
import type { ListedDecision, Outcome } from './verify.worker.js';

/** A digest as people compare it: in groups of four. */
export const Digest = ({ of, label }: { of: string; label: string }) => (
  <Stack gap={2}>
    <Muted>{label}</Muted>
    <Text ff="monospace" fz="lg" component="p" m={0} className="digest" data-digest={of}>
      {of.match(/.{1,4}/g)?.join(' ')}
    </Text>
  </Stack>
);

/** One approval as a sentence. */
export function sentenceOf({
  event,
  operator,
  requested_by,
  at,
  reason,
  reject_target,
  proposal,
}: ListedDecision): string {
  const by = `by ${operator}${requested_by ? `, as ${requested_by} had asked` : ''}, ${localTime(at)}${reason ? `: ${reason}` : ''}`;
  const of = reject_target === undefined ? '' : ` ${rung(reject_target)}`;
  if (event === 'RungApproved' && proposal)
    return `Rung${of} approved, threshold ${decimal(proposal.threshold)}, from ${count(proposal.claims)} claims, ${by}`;
  if (event === 'RungWithdrawn') return `Rung${of} withdrawn ${by}`;
  if (event === 'ScorerApproved' && proposal)
    return `Scorer approved, fitted to ${count(proposal.claims)} claims on ${count(proposal.groups ?? 0)} stones, ${by}`;
  if (event === 'ScorerWithdrawn') return `Scorer withdrawn ${by}`;
  return `${event === 'ScorerRequested' ? 'Scorer' : `Rung${of}`}: a first operator asked for the approval, ${by}`;
}

const isApproval = ({ event }: ListedDecision) => event === 'RungApproved' || event === 'ScorerApproved';

export function Sheet({ of }: { of: Outcome }) {
  if (of.says !== 'sound')
    return (
      <Alert
        color="red"
        variant="outline"
        role="alert"
        title={of.says === 'differs' ? 'Something differs: do not rely on these thresholds' : 'There is no verdict'}
      >
        <Text size="sm" className="long">
          {of.why}
        </Text>
      </Alert>
    );
  const approvals = of.decisions.filter(isApproval).length;
  return (
    <Stack className="sheet figures" gap="sm" component="section" aria-label="verified bundle">
      <Title order={3} size="h4" className="long">
        {of.population}: {count(approvals)} {approvals === 1 ? 'approval' : 'approvals'} recomputed, all sound
      </Title>
      <List size="sm" withPadding>
        {of.decisions.map((decision, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: decisions keep their places
          <List.Item key={i} className="long">
            {sentenceOf(decision)}
          </List.Item>
        ))}
      </List>
      <Digest of={of.root} label="Root digest: compare it with the one that you were told in another way" />
      <Digest of={of.chain} label="Chain root: note it outside of the laboratory for the next audit" />
      {of.rounded.length > 0 && <Text size="sm">Verdicts that stand on rounding: {of.rounded.join(', ')}</Text>}
      <Muted>
        Verified in this browser on {localTime(new Date().toISOString())} by the service’s own copy of the verifier.
        Whoever doubts the service verifies with a copy from elsewhere.
      </Muted>
      <Group className="no-print">
        <Button size="xs" variant="default" onClick={() => print()}>
          Print
        </Button>
      </Group>
    </Stack>
  );
}
