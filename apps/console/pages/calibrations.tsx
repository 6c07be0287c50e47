/** All populations: which rungs are calibrated, ready, or waiting. */
import { Group, Stack } from '@mantine/core';
import type { Calibration, Rung } from '#client';
import { MOST_POPULATIONS, useCalibrations } from '../api.js';
import { count, rung } from '../format.js';
import { Answer, Empty, Page } from '../parts/page.js';
import { Simulated } from '../parts/population.js';
import { Mark, Muted, type Tone } from '../parts/show.js';
import { type Column, Table } from '../parts/table.js';

export const calibrationOf = (population: string) => `/calibration/${encodeURIComponent(population)}`;

const isReady = ({ state, proposal }: Rung) => state === 'uncalibrated' && proposal !== null;

/** A rung in one word, the most pressing first. */
function stateOf(of: Rung): [tone: Tone, says: string] | undefined {
  if (of.awaiting_second_operator) return ['ask', 'waits for a second operator'];
  if (of.drift?.alarm) return ['bad', of.drift.threshold_outside_interval ? 'no longer fits' : 'drifts'];
  if (of.state === 'calibrated') return ['good', 'calibrated'];
  return isReady(of) ? ['doubt', 'ready to approve'] : undefined;
}

/** Approvals that wait in a population: those stand first. */
const waits = ({ rungs }: Calibration) => rungs.filter((one) => one.awaiting_second_operator).length;

const COLUMNS: Column<Calibration>[] = [
  {
    head: 'Population',
    cell: ({ population }) => (
      <>
        {population} <Simulated population={population} />
      </>
    ),
    by: ({ population }) => population,
  },
  {
    head: 'Claims held',
    meaning: 'Counted claims of the population under the live model.',
    cell: ({ rungs }) => count(rungs[0]?.claims_held ?? 0),
    by: ({ rungs }) => rungs[0]?.claims_held ?? 0,
    end: true,
    wide: true,
  },
  {
    head: 'Rungs',
    meaning: 'Rungs with an approval, an approval that waits, or claims enough for one.',
    cell: ({ rungs, detail }) => {
      // Rungs of one state stand together, so that all of them fit.
      const told = Map.groupBy(rungs.filter(stateOf), (of) => stateOf(of)?.join());
      if (told.size === 0) return <Muted>{detail ?? 'all as shipped'}</Muted>;
      return (
        <Group gap={6} wrap="nowrap" className="whole">
          {[...told].map(([key, of]) => {
            const [tone, says] = stateOf(of[0])!;
            return (
              <Mark key={key} tone={tone}>
                {says} {of.map(({ reject_target }) => rung(reject_target)).join(', ')}
              </Mark>
            );
          })}
        </Group>
      );
    },
  },
  {
    head: 'Scores',
    meaning: 'Whether a scorer of the population’s own is in force.',
    cell: ({ scorer }) => (scorer ? 'own scorer' : 'raw'),
    wide: true,
  },
];

export default function Calibrations() {
  const answer = useCalibrations();
  return (
    <Page title="Calibration">
      <Answer to={answer}>
        {(populations) =>
          populations.length === 0 ? (
            <Empty>
              No population has claims yet. A key’s claims make one, under the key’s name or the one that it names.
            </Empty>
          ) : (
            <Stack gap="xs">
              <Table
                label="populations"
                columns={COLUMNS}
                rows={populations.toSorted((a, b) => waits(b) - waits(a))}
                keyOf={({ population }) => population}
                to={({ population }) => calibrationOf(population)}
              />
              {populations.length >= MOST_POPULATIONS && <Muted>The first {count(MOST_POPULATIONS)} by name.</Muted>}
            </Stack>
          )
        }
      </Answer>
    </Page>
  );
}
