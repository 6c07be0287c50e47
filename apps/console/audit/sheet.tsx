/** The outcome of a verification in words, to be read and printed by an auditor who is no programmer. */
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { count, decimal, localTime, rung } from '../format.js';
import { Mark, Muted } from '../parts/show.js';
import type { Found, ListedDecision, Outcome } from './verify.worker.js';

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
    return `Rung${of} approved, threshold ${decimal(proposal.threshold)}, from ${count(proposal.claims ?? 0)} claims, ${by}`;
  if (event === 'RungWithdrawn') return `Rung${of} withdrawn ${by}`;
  if (event === 'LotScorerApproved' && proposal)
    return `Lot scorer approved, fitted on ${count(proposal.rests_on?.length ?? 0)} lots, ${by}`;
  if (event === 'LotScorerWithdrawn') return `Lot scorer withdrawn ${by}`;
  if (event === 'LotScorerRequested') return `Lot scorer: a first operator asked for the approval, ${by}`;
  if (event === 'ScorerApproved' && proposal)
    return `Scorer approved, fitted to ${count(proposal.claims ?? 0)} claims on ${count(proposal.groups ?? 0)} stones, ${by}`;
  if (event === 'ScorerWithdrawn') return `Scorer withdrawn ${by}`;
  return `${event === 'ScorerRequested' ? 'Scorer' : `Rung${of}`}: a first operator asked for the approval, ${by}`;
}

const isApproval = ({ event }: ListedDecision) => event.endsWith('Approved');

/** The signature of a bundle in words. @param keys of the service that shows the page */
function Signature({ of: { signature, seals }, keys }: { of: Found; keys: readonly string[] | undefined }) {
  if (!signature)
    return (
      <Text size="sm">
        <Mark tone="ask">not signed</Mark> Nothing shows that a service wrote its events: bundles of before 0.3 are so.
      </Text>
    );
  if (!signature.checked)
    return (
      <Text size="sm">
        <Mark tone="ask">signature not checked</Mark> This browser cannot (Ed25519): take a newer one, or mvs audit
        verify.
      </Text>
    );
  const { sealed = 0, taken = 0, unsealed = 0 } = seals ?? {};
  return (
    <>
      <Text size="sm">
        {keys?.includes(signature.key) ? (
          <Mark tone="good">signed by this service</Mark>
        ) : (
          <Mark tone="ask">{keys ? 'signed by another key than this service’s' : 'signed'}</Mark>
        )}{' '}
        {count(sealed)} of {count(sealed + taken + unsealed)} events were sealed when it was written
        {taken > 0 && `, ${count(taken)} were taken by an operator as they stood`}
        {unsealed > 0 && `, ${count(unsealed)} had no seal`}.
      </Text>
      <Digest of={signature.key} label="Public key: compare it with the one that you were told in another way" />
    </>
  );
}

export function Sheet({ of, keys }: { of: Outcome; keys: readonly string[] | undefined }) {
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
        {of.owner}: {count(approvals)} {approvals === 1 ? 'approval' : 'approvals'} recomputed, all sound
      </Title>
      <Text component="ul" size="sm" pl="xl">
        {of.decisions.map((decision, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: decisions keep their places
          <li key={i} className="long">
            {sentenceOf(decision)}
          </li>
        ))}
      </Text>
      <Digest of={of.root} label="Root digest: compare it with the one that you were told in another way" />
      <Digest of={of.chain} label="Chain root: note it outside of the laboratory for the next audit" />
      <Signature of={of} keys={keys} />
      {of.rounded && <Text size="sm">Verdicts that stand on rounding: {of.rounded.join(', ')}</Text>}
      <Muted>
        Verified in this browser on {localTime(new Date().toISOString())} by the service’s own copy of the verifier. An
        auditor who doubts the service verifies with a copy from elsewhere.
      </Muted>
      <Group className="no-print">
        <Button size="xs" variant="default" onClick={() => print()}>
          Print
        </Button>
      </Group>
    </Stack>
  );
}
