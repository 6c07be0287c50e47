/** Decisions about a population with their operators: the chain has them oldest first, the page newest first. */
import type { CalibrationHistory } from '#client';
import { useAnswer } from '../api.js';
import { decimal, rung } from '../format.js';
import { inWords } from '../words.js';
import { Answer, Empty, Section } from './page.js';
import { Mark, Time } from './show.js';
import { type Column, Table } from './table.js';

type Decision = CalibrationHistory['items'][number];

const textOf = (of: Decision, name: string): string => (typeof of[name] === 'string' ? (of[name] as string) : '');
const proposalOf = (of: Decision): { threshold?: number; claims?: number } => (of.proposal ?? {}) as object;

const COLUMNS: Column<Decision>[] = [
  { head: 'When', cell: (of) => <Time at={textOf(of, 'at')} /> },
  {
    head: 'What',
    cell: (of) => (
      <>
        {inWords(of.event)} {typeof of.reject_target === 'number' && rung(of.reject_target)}
        {of.not_obeyed && (
          <Mark tone="bad" title={of.not_obeyed}>
            decides nothing
          </Mark>
        )}
      </>
    ),
  },
  { head: 'Operator', cell: (of) => textOf(of, 'operator') },
  { head: 'Threshold', cell: (of) => decimal(proposalOf(of).threshold), end: true, wide: true },
  { head: 'Claims', cell: (of) => proposalOf(of).claims ?? '–', end: true, wide: true },
  { head: 'Reason', cell: (of) => <span title={textOf(of, 'reason')}>{textOf(of, 'reason')}</span> },
];

export function Decisions({ population }: { population: string }) {
  const answer = useAnswer(['calibration history', population], (client, signal) =>
    client.calibrationHistory(population, signal),
  );
  return (
    <Section title="Decisions" meaning="Every request, approval and withdrawal of the population, of all models.">
      <Answer to={answer}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>No decision about this population yet.</Empty>
          ) : (
            <Table
              label="list of decisions"
              columns={COLUMNS}
              rows={items.toReversed()}
              keyOf={({ revision }) => `${revision}`}
              height="40dvh"
            />
          )
        }
      </Answer>
    </Section>
  );
}
