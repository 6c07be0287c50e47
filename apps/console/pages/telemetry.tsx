/** Calls of a window: how they ended, how long they took, what their gauges were; and each of them. */
import { Anchor, Grid, Stack } from '@mantine/core';
import { Link } from 'react-router';
import type { TelemetryRecord, TelemetrySummary } from '#client';
import { useCalls, useTelemetry } from '../api.js';
import { count, decimal } from '../format.js';
import { limitsOf } from '../parts/band.js';
import { claimPage } from '../parts/claims.js';
import { FilterBar, type Filters, useFilters } from '../parts/filters.js';
import { Hint } from '../parts/hint.js';
import { Listing } from '../parts/listing.js';
import { bucketOf, OverTime } from '../parts/over-time.js';
import { Answer, Page, Section } from '../parts/page.js';
import { ShortTable } from '../parts/short-table.js';
import { Facts, Muted, Named, Time, Verdict, Word } from '../parts/show.js';
import type { Column } from '../parts/table.js';
import { refusal, WARNINGS } from '../words.js';

const WINDOW = {
  population: { label: 'Population', kind: 'text' },
  key: { label: 'Key', kind: 'text', meaning: 'Name or prefix of the key' },
  key_kind: { label: 'Keys', values: ['production', 'test'], meaning: 'Test keys apart' },
  from: { label: 'From', kind: 'time', meaning: 'Ended at or after, in your time; 24 hours ago by default' },
  to: { label: 'To', kind: 'time', meaning: 'Ended before, in your time' },
} satisfies Filters;
const FILTERS = {
  ...WINDOW,
  status: { label: 'Status', kind: 'text', meaning: 'HTTP status' },
  reason: { label: 'Reason', kind: 'text', meaning: 'Code of the refusal' },
  tag: { label: 'Call', values: ['verify_match', 'verify_match_replay', 'refused_at_the_edge'] },
  verdict: { label: 'Verdict', values: ['MATCH', 'NO_MATCH'] },
  warning: { label: 'Warning', values: WARNINGS },
} satisfies Filters;

export default function Telemetry() {
  const [chosen, set] = useFilters(FILTERS);
  const [window] = useFilters(WINDOW);
  const summary = useTelemetry({ ...window, bucket: bucketOf(window) });
  const calls = useCalls(chosen);
  return (
    <Page title="Telemetry">
      <FilterBar filters={FILTERS} first={5} chosen={chosen} set={set} />
      <Answer to={summary}>{(of) => <Summary of={of} />}</Answer>
      <Section
        title="Each call"
        meaning="Newest first; refusals at the edge stand for as many calls as their count says."
      >
        <Listing
          answer={calls}
          of={['call', 'calls']}
          to={({ claim_id }) => (claim_id ? claimPage({ claim_id }) : undefined)}
          columns={COLUMNS}
          keyOf={({ position }) => position}
          empty="No call fits these filters."
        />
      </Section>
    </Page>
  );
}

const COLUMNS: Column<TelemetryRecord>[] = [
  { head: 'Ended', cell: ({ at }) => <Time at={at} /> },
  { head: 'Status', end: true, cell: ({ status }) => status },
  {
    head: 'Outcome',
    cell: ({ verdict, reason }) =>
      verdict ? <Verdict of={verdict} /> : reason ? <Word code={refusal(reason)} /> : '–',
  },
  { head: 'Count', end: true, wide: true, cell: (of) => count(of.count) },
  { head: 'Call', wide: true, cell: ({ tag }) => <Word code={tag} /> },
  { head: 'Key', wide: true, cell: ({ key }) => <span title={key?.prefix}>{key?.name ?? '–'}</span> },
  { head: 'Population', wide: true, cell: ({ population }) => population ?? '–' },
  {
    head: 'Claim',
    wide: true,
    cell: ({ claim_id }) =>
      claim_id ? (
        <Anchor component={Link} to={claimPage({ claim_id })} size="sm">
          {claim_id.slice(0, 12)}…
        </Anchor>
      ) : (
        '–'
      ),
  },
];

function Summary({ of }: { of: TelemetrySummary }) {
  return (
    <Grid>
      {of.buckets && of.buckets.length > 0 && (
        <Grid.Col span={12}>
          <Section
            title="Over time"
            meaning="Calls by hour, or by day in windows of more than four days; replays left out."
          >
            <OverTime buckets={of.buckets} />
          </Section>
        </Grid.Col>
      )}
      <Grid.Col span={{ base: 12, sm: 6, lg: 4 }}>
        <Section title="How they ended">
          <Stack>
            <Facts
              of={[
                [
                  'window',
                  <>
                    <Time at={of.from} /> to <Time at={of.to} />
                  </>,
                ],
                ['calls', count(of.calls)],
                [<Named code="repeats" />, count(of.repeats)],
                ['replays', count(of.replay.calls)],
                ...countsOf(of.verdicts),
                ...Object.entries(of.by_status).map(([status, calls]) => [`status ${status}`, count(calls)] as const),
              ]}
            />
          </Stack>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6, lg: 4 }}>
        <Section title="Refusals and warnings">
          <Facts of={[...countsOf(of.by_reason), ...countsOf(of.warnings)]} />
          {Object.keys({ ...of.by_reason, ...of.warnings }).length === 0 && <Muted>None.</Muted>}
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Section title="Labels" meaning="Verdicts against what clients labelled, by rung.">
          {of.label_agreement.length === 0 && <Muted>No claim of the window is labelled.</Muted>}
          <Facts
            of={of.label_agreement.map(({ reject_target, labelled, true_accept, true_reject }) => [
              `rung ${reject_target.toFixed(2)}`,
              `${count(true_accept + true_reject)} of ${count(labelled)} agree`,
            ])}
          />
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Section title="Scores and gauges">
          <Quantiles
            label="scores and gauges"
            of={of.quantiles}
            digits={4}
            over={of.quantiles_over}
            bands={of.gauge_bands}
          />
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Section title="Time by stage, in ms">
          <Quantiles label="times" of={of.latency_ms} digits={1} over={of.quantiles_over} />
        </Section>
      </Grid.Col>
    </Grid>
  );
}

const countsOf = (counts: Record<string, number>) =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([code, calls]) => [<Word code={refusal(code)} />, count(calls)] as const);

const SHOWN = ['p05', 'p50', 'p95', 'p99'] as const;

interface QuantilesProps {
  label: string;
  of: Record<string, unknown>;
  digits: number;
  over: number;
  /** Limits of the gauges among them. */
  bands?: TelemetrySummary['gauge_bands'];
}

function Quantiles({ label, of, digits, over, bands = [] }: QuantilesProps) {
  const limits = (name: string) => {
    const band = bands.find(({ gauge }) => name.endsWith(gauge));
    return band && <Muted>{limitsOf(band)}</Muted>;
  };
  const rows = Object.entries(of) as [string, Partial<Record<(typeof SHOWN)[number], number>>][];
  if (over === 0) return <Muted>No claim in the window.</Muted>;
  return (
    <ShortTable
      label={`percentiles of ${label}`}
      heads={[
        <Hint text={`Percentiles over the latest ${count(over)} calls of the window.`}>of {count(over)}</Hint>,
        ...SHOWN,
      ]}
      numbersFrom={1}
      rows={rows.map(([name, values]) => [
        <>
          <Word code={name} /> {limits(name)}
        </>,
        ...SHOWN.map((one) => decimal(values[one], digits)),
      ])}
    />
  );
}
