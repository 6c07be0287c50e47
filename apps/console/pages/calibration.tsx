/** One population: its ladder, what could be approved, who decided what, its scorer, and the evidence to take away. */
import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import type { Calibration as Ladder, Rung } from '#client';
import { useAnswer } from '../api.js';
import { count, decimal, localTime, percent, rung } from '../format.js';
import { AuditBundle } from '../parts/audit-bundle.js';
import { Decisions } from '../parts/decisions.js';
import { Typed } from '../parts/filters.js';
import { Answer, Page, Section } from '../parts/page.js';
import { Simulated, TestClaims } from '../parts/population.js';
import { RungDetail } from '../parts/rung-detail.js';
import { ScorerSection } from '../parts/scorer.js';
import { Mark, Status } from '../parts/show.js';
import { type Column, Table } from '../parts/table.js';

const COLUMNS: Column<Rung>[] = [
  {
    head: 'Rung',
    meaning: 'The share of wrong claims that the threshold is to reject.',
    cell: (of) => rung(of.reject_target),
  },
  {
    head: 'State',
    cell: (of) => (
      <Group gap={6} wrap="nowrap">
        <Status code={of.state} />
        {of.awaiting_second_operator && <Mark tone="ask">waits for a second operator</Mark>}
        {of.state === 'uncalibrated' && of.proposal && <Mark tone="doubt">ready</Mark>}
        {of.drift?.alarm && <Mark tone="bad">drift</Mark>}
      </Group>
    ),
  },
  { head: 'Threshold', cell: (of) => decimal(of.threshold), end: true },
  {
    head: 'Accepts',
    meaning:
      'Estimated share of genuine claims that the population’s own threshold confirms; of a shipped one it is not known.',
    cell: (of) => (of.state === 'calibrated' ? percent(of.expected_genuine_accept) : '–'),
    end: true,
    wide: true,
  },
  {
    head: 'Claims',
    meaning: 'Counted claims held, of those that the rung needs.',
    cell: (of) =>
      of.claims_needed === null
        ? 'never calibrated'
        : `${count(of.claims_held)}${of.claims_held < of.claims_needed ? ` of ${count(of.claims_needed)}` : ''}`,
    end: true,
  },
  { head: 'Source', cell: (of) => of.threshold_source, wide: true },
];

/** Which rung is looked at: the address says, else the one that asked for something when the page was opened. */
function useRung(rungs: readonly Rung[]): [Rung, (of: string | null) => void] {
  const [params, setParams] = useSearchParams();
  // It stays in sight once it is decided.
  const [first] = useState(() => {
    const pressing = rungs.find(
      ({ awaiting_second_operator, state, proposal }) =>
        awaiting_second_operator || (state === 'uncalibrated' && proposal),
    );
    return rung(pressing?.reject_target ?? 0.98);
  });
  const of = (name: string | null) => rungs.find(({ reject_target }) => rung(reject_target) === name);
  const set = (to: string | null) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (to) after.set('rung', to);
        return after;
      },
      { replace: true },
    );
  return [of(params.get('rung')) ?? of(first) ?? rungs[0], set];
}

function LadderSections({ of }: { of: Ladder }) {
  const [chosen, choose] = useRung(of.rungs);
  const [params] = useSearchParams();
  const kept = Object.fromEntries(params);
  const rungs = of.rungs.map(({ reject_target }) => rung(reject_target));
  return (
    <>
      <Section title="Ladder" meaning="Thresholds of the population by rung, under the live model.">
        {of.detail && (
          <Text size="sm" mb="xs">
            {of.detail}
          </Text>
        )}
        <Table
          label="rungs"
          columns={COLUMNS}
          rows={of.rungs}
          keyOf={({ reject_target }) => rung(reject_target)}
          to={({ reject_target }) => `?${new URLSearchParams({ ...kept, rung: rung(reject_target) })}`}
          chosen={rung(chosen.reject_target)}
        />
      </Section>
      <Section
        title={`Rung ${rung(chosen.reject_target)}`}
        aside={
          <NativeSelect
            size="xs"
            w={90}
            aria-label="rung"
            data={rungs}
            value={rung(chosen.reject_target)}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
        }
      >
        <RungDetail key={`${of.population} ${chosen.reject_target}`} population={of.population} of={chosen} />
      </Section>
    </>
  );
}

/** The ladder as it was at a time. */
function Past({ population, at }: { population: string; at: string }) {
  const answer = useAnswer(
    ['calibration at', population, at],
    (client, signal) => client.calibrationAt(population, { as_of: at }, signal),
    { everyMs: false },
  );
  return (
    <Section title={`As of ${localTime(at)}`}>
      <Answer to={answer}>
        {({ rungs, detail }) => (
          <Stack gap={4} className="figures">
            {detail && <Text size="sm">{detail}</Text>}
            {rungs.map(({ reject_target, threshold, approved_by }) => (
              <Text key={reject_target} size="sm">
                Rung {rung(reject_target)}: {decimal(threshold)}, approved by {approved_by}
              </Text>
            ))}
            <Text size="sm">
              {rungs.length === 0
                ? 'Every rung was as shipped: no approval held then.'
                : 'All other rungs were as shipped.'}
            </Text>
          </Stack>
        )}
      </Answer>
    </Section>
  );
}

export default function Calibration() {
  const { population = '' } = useParams();
  const [params, setParams] = useSearchParams();
  const asOf = params.get('as_of');
  const answer = useAnswer(['calibration', population], (client, signal) => client.calibration(population, signal));
  const time = asOf !== null && !Number.isNaN(Date.parse(asOf)) ? asOf : undefined;
  return (
    <Page
      title={population}
      above={{ to: '/calibration', label: 'Calibration' }}
      aside={
        <Group align="end">
          <Simulated population={population} />
          <Typed
            filter={{ kind: 'time', label: 'Live at', meaning: 'The thresholds that were live at a time' }}
            value={time ?? ''}
            set={(to) =>
              setParams(
                (before) => {
                  const after = new URLSearchParams(before);
                  if (to) after.set('as_of', to);
                  else after.delete('as_of');
                  return after;
                },
                { replace: true },
              )
            }
          />
        </Group>
      }
    >
      <TestClaims population={population} />
      {time && <Past population={population} at={time} />}
      <Answer to={answer}>{(of) => <LadderSections key={of.population} of={of} />}</Answer>
      <ScorerSection population={population} />
      <Decisions population={population} />
      <AuditBundle name={population} fetch={(client) => client.raw('getAuditBundle', { path: { population } })} />
    </Page>
  );
}
