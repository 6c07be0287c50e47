/** Compares recent claims of a population with those from which its thresholds were made. */
import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { Drift, DriftWindow } from '#client';
import { useDrift } from '../api.js';
import { count, decimal, rung } from '../format.js';
import { Chart } from '../parts/chart.js';
import { FilterBar, type Filters, useFilters } from '../parts/filters.js';
import { Hint } from '../parts/hint.js';
import { TIME_AXIS, timeTooltip } from '../parts/over-time.js';
import { Answer, Empty, Page, Section } from '../parts/page.js';
import { ShortTable } from '../parts/short-table.js';
import { Facts, Mark, Muted, Status, Time, Word } from '../parts/show.js';
import { inWords } from '../words.js';

const FILTERS = { population: { label: 'Population', kind: 'text' } } satisfies Filters;

export default function DriftPage() {
  const [chosen, set] = useFilters(FILTERS);
  const drift = useDrift(chosen);
  return (
    <Page title="Drift">
      <FilterBar filters={FILTERS} chosen={chosen} set={set} />
      <Answer to={drift}>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items);
          return (
            <>
              {all.length === 0 && <Empty>No population has claims to watch.</Empty>}
              {all.map((of) => (
                <Population key={of.population} of={of} />
              ))}
              {drift.hasNextPage && (
                <Group>
                  <Button
                    variant="default"
                    loading={drift.isFetchingNextPage}
                    onClick={() => void drift.fetchNextPage()}
                  >
                    More populations
                  </Button>
                </Group>
              )}
            </>
          );
        }}
      </Answer>
    </Page>
  );
}

function Population({ of }: { of: Drift }) {
  const { population, baseline, began, latest } = of;
  return (
    <Section title={population} aside={<Status code={of.status} />}>
      <Stack>
        <Facts
          of={[
            [
              'baseline',
              <>
                {baseline.source === 'approved' && baseline.reject_target !== null
                  ? `${count(baseline.claims)} claims behind the approval at ${rung(baseline.reject_target)}`
                  : 'the shipped asset'}{' '}
                <Anchor component={Link} to={`/calibration/${encodeURIComponent(population)}`} size="sm">
                  calibration
                </Anchor>
              </>,
            ],
            [
              <Hint text="Windows of claims, which do not overlap; each is compared with the baseline once.">
                windows
              </Hint>,
              `${count(of.windows)} of ${count(of.window_claims)} claims, ${count(of.waiting)} towards the next`,
            ],
            began && ['drifts since', <Time at={began.until} />],
            of.episodes.length > 0 && ['earlier episodes', <Episodes of={of.episodes} />],
          ]}
        />
        {of.history.length > 1 && <OverTime of={of} />}
        {latest ? (
          <Window population={of.population} of={latest} bands={of.bands} limit={of.limit} />
        ) : (
          <Muted>No window is full yet.</Muted>
        )}
      </Stack>
    </Section>
  );
}

/** Windows one after the other: how far each measure's median lies from the baseline's. */
function OverTime({ of: { population, history } }: { of: Drift }) {
  const option = useMemo(
    () => ({
      tooltip: { ...timeTooltip, valueFormatter: (value: unknown) => decimal(value as number, 2) },
      xAxis: TIME_AXIS,
      yAxis: { type: 'value', name: 'shift, in standard deviations', nameTextStyle: { align: 'left' } },
      grid: { top: 72, bottom: 26 },
      series: history[0].measures.map(({ measure }, m) => ({
        ...{ name: inWords(measure), type: 'line', symbolSize: 5 },
        data: history.map(({ until, measures }) => ({
          value: [Date.parse(until), measures[m].shift],
          // Those that differ are large.
          ...(measures[m].drifted && { symbol: 'diamond', symbolSize: 13 }),
        })),
      })),
    }),
    [history],
  );
  return (
    <div>
      <Chart
        label={`Shift of each measure of ${population} from the baseline, over ${count(history.length)} windows`}
        option={option}
      />
      <Muted>Each point is a window; a large one differs from the baseline.</Muted>
    </div>
  );
}

/** Those that are over, the latest first. */
const Episodes = ({ of }: { of: Drift['episodes'] }) => (
  <>
    {of.toReversed().map(({ began, ended, measures }) => (
      <div key={began}>
        <Time at={began} /> to <Time at={ended} />: {measures.map(inWords).join(', ')}
      </div>
    ))}
  </>
);

const bandOf = (bands: Drift['bands'], measure: string): string => {
  const band = bands.find((one) => one.measure === measure);
  return band ? `${decimal(band.p05)} to ${decimal(band.p95)}` : '–';
};

interface WindowProps {
  population: string;
  of: DriftWindow;
  bands: Drift['bands'];
  limit: number;
}

const Window = ({ population, of, bands, limit }: WindowProps) => (
  <div>
    <Muted>
      Latest window, {count(of.claims)} claims until <Time at={of.until} />
    </Muted>
    <ShortTable
      label={`latest window of ${population}`}
      heads={[
        'Measure',
        'Baseline',
        <Hint text="Nine tenths of the baseline lie between.">Band</Hint>,
        'Window',
        <Hint text="From median to median, in standard deviations of the baseline.">Shift</Hint>,
        <Hint text={`Anderson-Darling statistic of window against baseline; beyond ${limit} they differ.`}>
          Differs
        </Hint>,
      ]}
      numbersFrom={1}
      rows={of.measures.map(({ measure, statistic, drifted, baseline_median, window_median, shift }) => [
        <Word code={measure} />,
        decimal(baseline_median),
        bandOf(bands, measure),
        decimal(window_median),
        decimal(shift, 2),
        drifted ? <Mark tone="bad">{decimal(statistic, 1)}</Mark> : decimal(statistic, 1),
      ])}
    />
  </div>
);
