/** The queue of a reviewer: claims whose action is review, the closest calls first, and open findings. Keys j and k go on. */
import { Anchor, Grid, SegmentedControl, Stack } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import type { ClaimRow } from '#client';
import { useClaim, useClaimQueue, useScores } from '../api.js';
import { decimal, rung } from '../format.js';
import { claimPage, QUEUE_COLUMNS } from '../parts/claims.js';
import { ClientFiles } from '../parts/client-files.js';
import { useFilters } from '../parts/filters.js';
import { FindingQueue } from '../parts/finding-queue.js';
import { Listing } from '../parts/listing.js';
import { Answer, Page, Section } from '../parts/page.js';
import { CHOICE, reviewAt, Steps, Taken, useChosen } from '../parts/queue.js';
import { reasonsOf } from '../parts/reasons.js';
import { LookedAtBy, ReviewForm } from '../parts/review.js';
import { ScoreChart } from '../parts/score-chart.js';
import { Facts, Muted, Named } from '../parts/show.js';
import { Sides } from '../parts/sides.js';
import { inWords } from '../words.js';

/** Claims that wait for a person: each says why (`action_reasons`). */
const QUEUE = { action: 'review', reviewed: 'false', sort: 'distance' };

export default function Review() {
  const [{ of: asked }] = useFilters(CHOICE);
  const claims = useClaimQueue(QUEUE);
  const of = asked ?? (claims.data?.pages[0].items.length === 0 ? 'findings' : 'claims');
  const navigate = useNavigate();
  return (
    <Page
      title="Review"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="what to review"
          value={of}
          onChange={(to) => navigate(`/review?of=${to}`, { replace: true })}
          data={[
            { value: 'claims', label: 'Claims' },
            { value: 'findings', label: 'Findings' },
          ]}
        />
      }
    >
      {of === 'findings' ? <FindingQueue /> : <Claims />}
    </Page>
  );
}

const idOfClaim = ({ claim_id }: ClaimRow) => claim_id;

function Claims() {
  const queue = useClaimQueue(QUEUE);
  const rows = queue.data?.pages.flatMap(({ items }) => items) ?? [];
  const { chosen, gone, go } = useChosen(rows, idOfClaim, !queue.isFetching);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Listing
          answer={queue}
          of={['claim waits', 'claims wait']}
          columns={QUEUE_COLUMNS}
          keyOf={idOfClaim}
          to={(row) => reviewAt(row.claim_id)}
          chosen={chosen}
          empty="No claim waits for a review."
          aside={<Steps go={go} />}
          height="min(70dvh, 26rem)"
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        {chosen && <ClaimToReview key={chosen} id={chosen} gone={gone} then={() => go(1)} />}
      </Grid.Col>
    </Grid>
  );
}

function ClaimToReview({ id, gone, then }: { id: string; gone: boolean; then: () => void }) {
  const claim = useClaim(id);
  return (
    <Answer to={claim}>
      {(of) => (
        <Section
          title={`${of.rough.references[0] ?? 'rough'} and ${of.polish.references[0] ?? 'polish'}`}
          aside={
            <Anchor component={Link} to={claimPage(of)} size="sm">
              whole claim
            </Anchor>
          }
        >
          <Stack>
            {gone && <Taken review={of.review} />}
            <LookedAtBy others={of.looked_at_by} />
            <Facts
              of={[
                [<Named code="p_match_5050" />, decimal(of.p_match_5050, 3)],
                [
                  <Named code="fused_score" />,
                  <>
                    {decimal(of.fused_score)}{' '}
                    <Muted>
                      against {decimal(of.threshold)} at {rung(of.reject_target)}
                    </Muted>
                  </>,
                ],
                [
                  'population',
                  <>
                    {of.population} <Muted>key {of.key.name}</Muted>
                  </>,
                ],
                reasonsOf(of),
                ['label', of.label ? inWords(String(of.label.expected)) : <Muted>none</Muted>],
              ]}
            />
            <Drawn
              population={of.population}
              model={of.model}
              target={of.reject_target}
              threshold={of.threshold}
              score={of.fused_score}
            />
            <Sides of={of} />
            <ClientFiles of={of} />
            <ReviewForm on="claim" ids={[of.claim_id]} then={then} />
          </Stack>
        </Section>
      )}
    </Answer>
  );
}

interface DrawnProps {
  population: string;
  model: string;
  target: number;
  threshold?: number;
  score?: number;
}

function Drawn({ population, model, ...more }: DrawnProps) {
  const scores = useScores(population, model);
  if (!scores.data || scores.data.reason !== null) return null;
  return <ScoreChart scores={scores.data} {...more} />;
}
