/** Whether recent claims of a population still look like those that its thresholds were made of. */
import { Anchor, Button, Group, Stack, Table } from '@mantine/core';
import { Link } from 'react-router';
import type { Drift, DriftWindow } from '#client';
import { useDrift } from '../api.js';
import { count, decimal, rung } from '../format.js';
import { FilterBar, type Filters, useFilters } from '../parts/filters.js';
import { Answer, Empty, Page, Section } from '../parts/page.js';
import { Facts, Hint, Mark, Muted, Status, Time, Word } from '../parts/show.js';

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
          ]}
        />
        {latest ? <Window of={latest} /> : <Muted>No window is full yet.</Muted>}
      </Stack>
    </Section>
  );
}

const Window = ({ of }: { of: DriftWindow }) => (
  <Table.ScrollContainer minWidth={320}>
    <Table className="figures" verticalSpacing={4} captionSide="top">
      <Table.Caption ta="start">
        Latest window, {count(of.claims)} claims until <Time at={of.until} />
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Measure</Table.Th>
          <Table.Th scope="col" ta="end">
            Baseline
          </Table.Th>
          <Table.Th scope="col" ta="end">
            Window
          </Table.Th>
          <Table.Th scope="col" ta="end" visibleFrom="sm">
            <Hint text="From median to median, in standard deviations of the baseline.">Shift</Hint>
          </Table.Th>
          <Table.Th scope="col" ta="end">
            <Hint text="Anderson-Darling statistic of window against baseline; beyond 6 they differ.">Differs</Hint>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {of.measures.map(({ measure, statistic, drifted, baseline_median, window_median, shift }) => (
          <Table.Tr key={measure}>
            <Table.Th scope="row" fw={400}>
              <Word code={measure} />
            </Table.Th>
            <Table.Td ta="end">{decimal(baseline_median)}</Table.Td>
            <Table.Td ta="end">{decimal(window_median)}</Table.Td>
            <Table.Td ta="end" visibleFrom="sm">
              {decimal(shift, 2)}
            </Table.Td>
            <Table.Td ta="end">
              {drifted ? <Mark tone="bad">{decimal(statistic, 1)}</Mark> : decimal(statistic, 1)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
