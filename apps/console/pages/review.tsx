/** The queue of a reviewer: refused claims that may be true, the closest calls first, and open findings. Keys j and k go on. */
import { Anchor, Button, Grid, Group, SegmentedControl, Stack } from '@mantine/core';
import { useCallback } from 'react';
import { Link } from 'react-router';
import type { ClaimRow, Finding } from '#client';
import { useClaim, useClaimRows, useFinding, useFindings, useScores, useSession } from '../api.js';
import { decimal, rung } from '../format.js';
import { claimPage, QUEUE_COLUMNS } from '../parts/claims.js';
import { useFilters } from '../parts/filters.js';
import { FINDING_COLUMNS, FindingFacts, findingPage, Matrix } from '../parts/findings.js';
import { useKeys } from '../parts/keys.js';
import { Listing } from '../parts/listing.js';
import { Answer, Page, Section } from '../parts/page.js';
import { ReviewForm } from '../parts/review.js';
import { ScoreChart } from '../parts/score-chart.js';
import { Facts, Muted, Named } from '../parts/show.js';
import { Sides } from '../parts/sides.js';
import { inWords } from '../words.js';

/** The queue of `GET /api/v1/claims`: refused, and more likely true than not. */
const QUEUE = { verdict: 'NO_MATCH', p_min: '0.6', reviewed: 'false', sort: 'distance' };
const CHOICE = {
  of: { label: 'Of', values: ['findings'] },
  at: { label: 'At', kind: 'text' },
} as const;

export default function Review() {
  const [{ of }, set] = useFilters(CHOICE);
  return (
    <Page
      title="Review"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="what to review"
          value={of ?? 'claims'}
          onChange={(to) => {
            set('at');
            set('of', to === 'claims' ? undefined : to);
          }}
          data={[
            { value: 'claims', label: 'Claims' },
            { value: 'findings', label: 'Findings' },
          ]}
        />
      }
    >
      {of ? <Findings /> : <Claims />}
    </Page>
  );
}

/** The chosen one of a list, which the address keeps; the first where it is gone, and the next once it is done. */
function useChosen<T>(rows: readonly T[], keyOf: (row: T) => string) {
  const [{ at }, set] = useFilters(CHOICE);
  const found = rows.findIndex((row) => keyOf(row) === at);
  const index = Math.max(found, 0);
  const go = useCallback(
    (by: number) => {
      const to = rows[Math.min(Math.max(index + by, 0), rows.length - 1)];
      if (to !== undefined) set('at', keyOf(to));
    },
    [rows, index, set, keyOf],
  );
  useKeys({ j: () => go(1), k: () => go(-1) });
  return { chosen: rows[index], go };
}

const Steps = ({ go }: { go: (by: number) => void }) => (
  <Group gap={4}>
    <Button size="xs" variant="default" onClick={() => go(-1)} title="key k">
      Before
    </Button>
    <Button size="xs" variant="default" onClick={() => go(1)} title="key j">
      Next
    </Button>
  </Group>
);

const idOfClaim = ({ claim_id }: ClaimRow) => claim_id;
const idOfFinding = ({ id }: Finding) => id;
const reviewAt = (at: string, of?: string) => `/review?${new URLSearchParams({ ...(of && { of }), at })}`;

function Claims() {
  const queue = useClaimRows(QUEUE);
  const rows = queue.data?.pages.flatMap(({ items }) => items) ?? [];
  const { chosen, go } = useChosen(rows, idOfClaim);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Listing
          answer={queue}
          of={['claim waits', 'claims wait']}
          columns={QUEUE_COLUMNS}
          keyOf={idOfClaim}
          to={(row) => reviewAt(row.claim_id)}
          chosen={chosen?.claim_id}
          empty="No claim waits for a review."
          aside={<Steps go={go} />}
          height="min(70dvh, 26rem)"
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        {chosen && <ClaimToReview key={chosen.claim_id} id={chosen.claim_id} then={() => go(1)} />}
      </Grid.Col>
    </Grid>
  );
}

function ClaimToReview({ id, then }: { id: string; then: () => void }) {
  const claim = useClaim(id);
  const { client } = useSession();
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
            <ReviewForm send={(review) => client.reviewClaim(of.claim_id, review)} then={then} />
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

function Findings() {
  const open = useFindings({ status: 'open' });
  const rows = open.data?.pages.flatMap(({ items }) => items) ?? [];
  const { chosen, go } = useChosen(rows, idOfFinding);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Listing
          answer={open}
          of={['finding waits', 'findings wait']}
          columns={FINDING_COLUMNS.slice(0, 4)}
          keyOf={idOfFinding}
          to={(row) => reviewAt(row.id, 'findings')}
          chosen={chosen?.id}
          empty="No finding is open."
          aside={<Steps go={go} />}
          height="min(70dvh, 26rem)"
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        {chosen && <FindingToReview key={chosen.id} id={chosen.id} then={() => go(1)} />}
      </Grid.Col>
    </Grid>
  );
}

function FindingToReview({ id, then }: { id: string; then: () => void }) {
  const finding = useFinding(id);
  const { client } = useSession();
  return (
    <Answer to={finding}>
      {(of) => (
        <Section
          title={inWords(of.kind)}
          aside={
            <Anchor component={Link} to={findingPage(of)} size="sm">
              whole finding
            </Anchor>
          }
        >
          <Stack>
            <FindingFacts of={of} />
            <Matrix of={of} />
            <ReviewForm send={(review) => client.reviewFinding(of.id, review)} then={then} />
          </Stack>
        </Section>
      )}
    </Answer>
  );
}
