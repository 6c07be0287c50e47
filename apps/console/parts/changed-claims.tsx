/** The outcome of a dry run: past claims that would change, by direction and by label. */
import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { ChangedClaims, RescoredClaims } from '#client';
import { count, decimal } from '../format.js';
import { Muted, Time } from './show.js';

type Changed = ChangedClaims | RescoredClaims;

function Direction({ title, of }: { title: string; of: Changed }) {
  return (
    <Stack gap={2} className="figures">
      <Text size="sm" fw={600}>
        {title}: {count(of.total)}
      </Text>
      {of.total > 0 && (
        <Muted>
          labelled match {count(of.labelled_match)}, labelled no match {count(of.labelled_no_match)}, without a label{' '}
          {count(of.unlabelled)}
        </Muted>
      )}
      {of.claims.slice(0, 5).map((claim) => (
        <Text key={claim.claim_id} size="sm">
          <Anchor component={Link} to={`/claims/${claim.claim_id}`} size="sm" className="long">
            {claim.claim_id}
          </Anchor>{' '}
          {'score_before' in claim
            ? `${decimal(claim.score_before)} → ${decimal(claim.score_after)}`
            : decimal(claim.fused_score)}
          , <Time at={claim.at} />
        </Text>
      ))}
      {of.total > 5 && <Muted>and {count(of.total - 5)} more</Muted>}
    </Stack>
  );
}

interface Found {
  claims: number;
  threshold: number;
  tried_threshold: number;
  to_match: Changed;
  to_no_match: Changed;
}

export const DryRunResult = ({ of }: { of: Found }) => (
  <Stack gap="xs" aria-label="dry run" component="section">
    <Text size="sm" className="figures">
      Of {count(of.claims)} past claims, at {decimal(of.tried_threshold)} in place of {decimal(of.threshold)}:
    </Text>
    <Direction title="No match would become match" of={of.to_match} />
    <Direction title="Match would become no match" of={of.to_no_match} />
  </Stack>
);
