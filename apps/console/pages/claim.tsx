/** One claim with all that is known of it. */
import { Anchor, Grid, Stack } from '@mantine/core';
import { Link, useParams } from 'react-router';
import type { ClaimRecord } from '#client';
import { useAnswer, useClaim, useFindings, useScores } from '../api.js';
import { count, decimal, digest, percent, rung } from '../format.js';
import { claimPage, STONE_COLUMNS } from '../parts/claims.js';
import { ClientFiles } from '../parts/client-files.js';
import { FINDING_COLUMNS, findingPage } from '../parts/findings.js';
import { History } from '../parts/history.js';
import { Answer, Empty, Page, Section } from '../parts/page.js';
import { reasonsOf } from '../parts/reasons.js';
import { LookedAtBy, Noted, ReviewForm } from '../parts/review.js';
import { ScoreChart } from '../parts/score-chart.js';
import { Facts, Mark, Muted, Named, Status, Time, Verdict } from '../parts/show.js';
import { Sides } from '../parts/sides.js';
import { Table } from '../parts/table.js';
import { inWords, meaningOf } from '../words.js';

export default function ClaimPage() {
  const { id = '' } = useParams();
  const claim = useClaim(id);
  return (
    <Page
      title={`Claim ${id.slice(0, 12)}…`}
      above={{ to: '/claims', label: 'Claims' }}
      aside={claim.data && <Verdict of={claim.data.verdict} />}
    >
      <Answer to={claim}>
        {(of) => (
          <Grid>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Stack>
                <Said of={of} />
                <Section title="Review" meaning="A note beside the claim: nothing of the claim changes.">
                  <Stack>
                    <Noted review={of.review} />
                    <LookedAtBy others={of.looked_at_by} />
                    <ReviewForm key={of.claim_id} on="claim" ids={[of.claim_id]} />
                  </Stack>
                </Section>
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Stack>
                <AmongScores of={of} />
                <Section
                  title="Scans"
                  meaning="What was measured of each side before scoring. Spectra are kept nowhere."
                >
                  <Stack>
                    <Sides of={of} />
                    <ClientFiles key={of.claim_id} of={of} />
                  </Stack>
                </Section>
              </Stack>
            </Grid.Col>
            <Grid.Col span={12}>
              <Stack>
                <Others of={of} />
                <Section title="History" meaning="Every event of the claim, in the order of the log.">
                  <History of={of.history ?? []} />
                </Section>
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </Answer>
    </Page>
  );
}

/** The answer as it was given, and where it came from. */
function Said({ of }: { of: ClaimRecord }) {
  const { fused_score, threshold, label, warnings = [] } = of;
  const stages = Object.entries(of.latency_ms ?? {}).map(([stage, ms]) => `${stage} ${ms.toFixed(1)}`);
  return (
    <Section
      title="Answer"
      aside={of.findings.map((finding) => (
        <Mark key={finding} tone="bad" title={meaningOf(finding)}>
          {inWords(finding)}
        </Mark>
      ))}
    >
      <Stack>
        <Facts
          of={[
            [<Named code="action" />, of.action ? <Status code={of.action} /> : '–'],
            reasonsOf(of),
            [<Named code="p_match_5050" />, decimal(of.p_match_5050, 3)],
            [<Named code="fused_score" />, decimal(fused_score)],
            [
              <Named code="threshold" />,
              <>
                {decimal(threshold)} <Muted>{of.threshold_source}</Muted>
              </>,
            ],
            [<Named code="reject_target" />, rung(of.reject_target)],
            [
              <Named code="expected_genuine_accept" />,
              // A shipped threshold's estimate is of the simulated stones that it was fitted on.
              of.threshold_source?.startsWith('shipped-default') ? (
                <Muted>not known: the population has no threshold of its own</Muted>
              ) : (
                percent(of.expected_genuine_accept)
              ),
            ],
            [
              'population',
              <Anchor component={Link} to={`/calibration/${encodeURIComponent(of.population)}`} size="sm">
                {of.population}
              </Anchor>,
            ],
            [
              'key',
              <>
                {of.key.name} <Muted>{of.key.prefix}</Muted> {of.key.kind === 'test' && <Status code="test" />}
              </>,
            ],
            ['submitted', <Time at={of.submitted_at} />],
            of.scored_at !== undefined && ['scored', <Time at={of.scored_at} />],
            stages.length > 0 && ['took, in ms', stages.join(', ')],
            ['label', label ? inWords(String(label.expected)) : <Muted>none</Muted>],
            [<Named code="repeats" />, count(of.repeats)],
            [<Named code="shared_scans" />, of.shared_scans === null ? '–' : count(of.shared_scans)],
            [
              'model',
              <span title={of.model}>
                {digest(of.model)}{' '}
                <Muted>
                  {of.engine} engine, {of.scorer ?? 'no'} scores
                </Muted>
              </span>,
            ],
            ['claim', of.claim_id],
            ['request', of.request_id],
          ]}
        />
        {warnings.length > 0 && (
          <Stack gap={4} component="ul" m={0} pl="md" fz="sm" aria-label="warnings">
            {warnings.map((warning) => (
              <li key={warning} className="long">
                {warning}
              </li>
            ))}
          </Stack>
        )}
      </Stack>
    </Section>
  );
}

function AmongScores({ of }: { of: ClaimRecord }) {
  const scores = useScores(of.population, of.model);
  // Scores of two scales are not compared.
  const comparable = (data: { scorer: string | null }) => (data.scorer === null) === (of.scorer !== 'population');
  return (
    <Section
      title="Among its population"
      meaning="Scores of the population’s counted claims, and of pairs of distinct stones, which stand for wrong claims."
    >
      <Answer to={scores}>
        {(data) =>
          data.reason !== null ? (
            <Muted>Not drawn: {data.reason}.</Muted>
          ) : comparable(data) ? (
            <ScoreChart scores={data} target={of.reject_target} threshold={of.threshold} score={of.fused_score} />
          ) : (
            <>
              <ScoreChart scores={data} target={of.reject_target} />
              <Muted>The claim was judged by another scorer: its score is on another scale.</Muted>
            </>
          )
        }
      </Answer>
    </Section>
  );
}

/** Other claims of the two stones, and findings on the polish. */
function Others({ of }: { of: ClaimRecord }) {
  const references = [...new Set([...of.rough.references, ...of.polish.references])];
  if (references.length === 0)
    return (
      <Section title="Other claims on these stones">
        <Muted>The claim names no stone.</Muted>
      </Section>
    );
  return (
    <>
      {references.map((reference) => (
        <OfStone key={reference} reference={reference} but={of.claim_id} />
      ))}
      {of.polish.references.map((reference) => (
        <FindingsOf key={reference} reference={reference} />
      ))}
    </>
  );
}

const SHOWN = 20;

function OfStone({ reference, but }: { reference: string; but: string }) {
  const rows = useAnswer(['claims of a stone', reference], (client, signal) =>
    client.claimRowsPage({ reference, limit: SHOWN }, signal),
  );
  return (
    <Section
      title={`Claims on ${reference}`}
      aside={
        <Anchor component={Link} to={`/claims?${new URLSearchParams({ reference })}`} size="sm">
          all
        </Anchor>
      }
    >
      <Answer to={rows}>
        {({ items }) => {
          const others = items.filter(({ claim_id }) => claim_id !== but);
          if (others.length === 0) return <Empty>No other claim names it.</Empty>;
          return (
            <Table
              label={`other claims on ${reference}`}
              columns={STONE_COLUMNS}
              rows={others}
              keyOf={({ claim_id }) => claim_id}
              to={claimPage}
              height="16rem"
            />
          );
        }}
      </Answer>
    </Section>
  );
}

function FindingsOf({ reference }: { reference: string }) {
  const findings = useFindings({ reference });
  const rows = findings.data?.pages.flatMap(({ items }) => items) ?? [];
  if (rows.length === 0) return null;
  return (
    <Section title={`Findings on ${reference}`}>
      <Table
        label={`rows of findings on ${reference}`}
        columns={FINDING_COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        to={findingPage}
        height="16rem"
      />
    </Section>
  );
}
