/** The morning in one look: how a window of claims went, what waits, what alarms. Every figure leads to its page. */
import { Anchor, Grid, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Overview } from '#client';
import { useAnswer, useModels, useOverview, useTrend } from '../api.js';
import { count, countOf, digest, percent, rung } from '../format.js';
import { useFilters } from '../parts/filters.js';
import { Hint } from '../parts/hint.js';
import { bucketOf, OverTime } from '../parts/over-time.js';
import { Answer, Page, Section } from '../parts/page.js';
import { Muted, Status, Time, Word } from '../parts/show.js';
import { inWords, meaningOf, refusal } from '../words.js';

const HOURS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;
const WINDOW = { window: { label: 'Window', values: Object.keys(HOURS) } };

export default function Today() {
  const [{ window = '24h' }, set] = useFilters(WINDOW);
  const hours = HOURS[window as keyof typeof HOURS];
  const from = new Date(Date.now() - hours * 3_600_000).toISOString();
  const overview = useOverview({ from }, window);
  const trend = useTrend({ from, bucket: bucketOf({ from }) }, window);
  return (
    <Page
      title="Today"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="window"
          value={window}
          onChange={(to) => set('window', to === '24h' ? undefined : to)}
          data={[
            { value: '24h', label: '24 hours' },
            { value: '7d', label: '7 days' },
            { value: '30d', label: '30 days' },
          ]}
        />
      }
    >
      <Service />
      <Answer to={overview}>
        {(of) => (
          <>
            <Counts of={of} />
            {trend && trend.length > 0 && (
              <Section title="Over time" meaning="Calls by how they ended, by hour or by day; replays left out.">
                <OverTime buckets={trend} />
              </Section>
            )}
            <Grid>
              <Grid.Col span={{ base: 12, md: 6 }}>
                <Waiting of={of} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 6 }}>
                <Stack>
                  <AlarmList of={of} />
                  <Refusals of={of} />
                </Stack>
              </Grid.Col>
            </Grid>
          </>
        )}
      </Answer>
    </Page>
  );
}

/** A figure that leads to what is behind it. */
function Figure({ to, name, meaning, children }: { to: string; name: string; meaning?: string; children: ReactNode }) {
  return (
    <Paper component={Link} to={to} withBorder p="sm" className="card-link figures" title={meaning}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="div" fz={24} fw={600} lh={1.3} className="long">
        {children}
      </Text>
    </Paper>
  );
}

/** Readiness, engine and models: a line of their own, as they hold for whatever window. */
function Service() {
  const ready = useAnswer(['ready'], (client, signal) => client.readiness(signal));
  const models = useModels();
  return (
    <Group gap="lg" className="figures">
      <Anchor component={Link} to="/system" underline="never" c="inherit">
        <Muted>Service </Muted>
        {ready.data ? <Status code={ready.data.status} /> : ready.error ? <Status code="unavailable" /> : '…'}
      </Anchor>
      {ready.data && (
        <Text size="sm" title={ready.data.engine.reason}>
          <Muted>Engine </Muted>
          {ready.data.engine.engine}
        </Text>
      )}
      {models.data?.installed
        .filter(({ live, shadow }) => live || shadow)
        .map(({ model, name, live }) => (
          <Text key={model} size="sm" title={model}>
            <Muted>{live ? 'Live model ' : 'Shadow model '}</Muted>
            <Anchor component={Link} to="/system" size="sm">
              {name} {digest(model)}
            </Anchor>
          </Text>
        ))}
    </Group>
  );
}

const claimsIn = ({ from }: Overview, more: Record<string, string> = {}) =>
  `/claims?${new URLSearchParams({ from, ...more })}`;

const callsIn = ({ from }: Overview, more: Record<string, string> = {}) =>
  `/telemetry?${new URLSearchParams({ from, ...more })}`;

function Counts({ of }: { of: Overview }) {
  const { calls, repeats, refused, replays, verdicts, match_share, whole_window } = of.claims;
  return (
    <div className="tiles">
      <Figure
        to={callsIn(of)}
        name="Calls"
        meaning="Calls that ended: match, no match, answered again and refused together. Replays stand beside them."
      >
        {count(calls)}
        {!whole_window && '+'}
      </Figure>
      <Figure to={claimsIn(of, { verdict: 'MATCH' })} name="Match" meaning={meaningOf('MATCH')}>
        {count(verdicts.MATCH)}
      </Figure>
      <Figure to={claimsIn(of, { verdict: 'NO_MATCH' })} name="No match" meaning={meaningOf('NO_MATCH')}>
        {count(verdicts.NO_MATCH)}
      </Figure>
      <Figure
        to={callsIn(of)}
        name="Answered again"
        meaning="The same claim, sent again: it got the answer that was stored, and counts in no verdict."
      >
        {count(repeats)}
      </Figure>
      <Figure to={callsIn(of)} name="Refused" meaning="Calls without a verdict.">
        {count(refused)}
      </Figure>
      <Figure
        to={callsIn(of, { tag: 'verify_match_replay' })}
        name="Replays"
        meaning="Claims that were played again: they are no claims, and are not among the calls."
      >
        {count(replays)}
      </Figure>
      <Figure to={claimsIn(of)} name="Match share" meaning={meaningOf('match_share')}>
        {percent(match_share)}
      </Figure>
    </div>
  );
}

/** A line with a figure at its end; none where there is nothing. */
const Line = ({ to, value, children }: { to: string; value?: ReactNode; children: ReactNode }) =>
  value === '0' ? null : (
    <Group justify="space-between" wrap="nowrap" align="baseline" className="figures">
      <Anchor component={Link} to={to} size="sm" className="long">
        {children}
      </Anchor>
      <Text size="sm" fw={600} component="span" style={{ whiteSpace: 'nowrap' }}>
        {value}
      </Text>
    </Group>
  );

function Waiting({ of }: { of: Overview }) {
  const { reviews, findings, second_approvals, populations } = of;
  return (
    <Section title="Waits for you">
      <Stack gap={6}>
        {reviews.total + findings.open.total + second_approvals.found + populations.found === 0 && (
          <Muted>Nothing waits.</Muted>
        )}
        <Line to="/review" value={countOf(reviews)}>
          Claims to review
        </Line>
        <Line to="/findings?status=open" value={countOf(findings.open)}>
          Open findings
        </Line>
        <Line to="/findings?status=open&breach=true" value={countOf(findings.open_breaches)}>
          of these, panels probed with a production key
        </Line>
        <Line to={`/findings?${new URLSearchParams({ from: of.from })}`} value={countOf(findings.opened)}>
          Findings opened in the window
        </Line>
        <Line
          to={second_approvals.found === 1 ? approvalOf(second_approvals.items[0]) : '/calibration'}
          value={count(second_approvals.found)}
        >
          Approvals that wait for a second operator
        </Line>
        {second_approvals.items.map((one) => (
          <Line
            key={`${one.population} ${one.reject_target}`}
            to={approvalOf(one)}
            value={<Time at={one.at} as="ago" />}
          >
            {one.population}, {one.reject_target === null ? 'own scorer' : `rung ${rung(one.reject_target)}`}, asked by{' '}
            {one.requested_by}
          </Line>
        ))}
        <Line to="/calibration" value={count(populations.found)}>
          <Hint text="Populations with the claims that a rung needs, or at least 80% of them, and no approval there.">
            Populations ready for a threshold, or nearly
          </Hint>
        </Line>
        {populations.items.map(({ population, claims_held, ready, next }) => (
          <Line
            key={population}
            to={calibrationOf(population)}
            value={
              next && claims_held < next.claims_needed
                ? `${count(claims_held)} of ${count(next.claims_needed)}`
                : count(claims_held)
            }
          >
            {population}
            {ready.length > 0 && `: ready at ${ready.map(rung).join(', ')}`}
            {next && `, next ${rung(next.reject_target)}`}
          </Line>
        ))}
      </Stack>
    </Section>
  );
}

const calibrationOf = (population: string) => `/calibration/${encodeURIComponent(population)}`;

/** Where a second operator decides: the rung is open there. */
const approvalOf = ({ population, reject_target }: Overview['second_approvals']['items'][number]) =>
  `${calibrationOf(population)}${reject_target === null ? '#scorer' : `?rung=${rung(reject_target)}`}`;

function AlarmList({ of }: { of: Overview }) {
  const { drift, hygiene, not_obeyed, log_damaged, views_stopped } = of.alarms;
  const quiet = drift.length + hygiene.found.length + not_obeyed + log_damaged + views_stopped.length === 0;
  return (
    <Section title="Alarms">
      <Stack gap={6}>
        {quiet && <Muted>Nothing alarms.</Muted>}
        {drift.map(({ population, since, measures }) => (
          <Line
            key={population}
            to={`/drift?${new URLSearchParams({ population })}`}
            value={<Time at={since} as="ago" />}
          >
            {population} drifts: {measures.map(inWords).join(', ')}
          </Line>
        ))}
        {hygiene.found.map(({ check, found }) => (
          <Line key={check} to="/hygiene" value={count(found)}>
            <Word code={check} />
          </Line>
        ))}
        {not_obeyed > 0 && (
          <Line to="/system" value={count(not_obeyed)}>
            Calibration events that decide nothing
          </Line>
        )}
        {log_damaged > 0 && (
          <Line to="/system" value={count(log_damaged)}>
            Events that are damaged, gone or out of place
          </Line>
        )}
        {views_stopped.map((view) => (
          <Line key={view} to="/system" value={<Status code="stopped" />}>
            View {view}
          </Line>
        ))}
        {hygiene.at === null && (
          <Muted>The service checks hygiene every minute; the first time a minute after its start.</Muted>
        )}
      </Stack>
    </Section>
  );
}

function Refusals({ of }: { of: Overview }) {
  const reasons = Object.entries(of.claims.refusals).sort(([, a], [, b]) => b - a);
  return (
    <Section title="Refused, by reason">
      <Stack gap={6}>
        {reasons.length === 0 && <Muted>No call was refused.</Muted>}
        {reasons.map(([reason, calls]) => (
          <Line key={reason} to={`/telemetry?${new URLSearchParams({ from: of.from, reason })}`} value={count(calls)}>
            <Word code={refusal(reason)} />
          </Line>
        ))}
      </Stack>
    </Section>
  );
}
