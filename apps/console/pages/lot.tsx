/** One lot: its checks, the tray of a check, its report, and how the lot is retired. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useParams } from 'react-router';
import type { LotCheckSummary, LotWithChecks } from '#client';
import { useLot, useTray } from '../api.js';
import { count, counted } from '../format.js';
import { useAction } from '../parts/action.js';
import { Dialogue } from '../parts/dialogue.js';
import { useFilters } from '../parts/filters.js';
import { Check, Rehearse, useMayWork } from '../parts/lot-work.js';
import { Answer, Empty, Failure, Page, Section } from '../parts/page.js';
import { save } from '../parts/save.js';
import { Facts, Mark, Muted, Status, Time, Word } from '../parts/show.js';
import { type Column, Table } from '../parts/table.js';
import { WithWorkspace } from '../parts/workspace.js';
import type { OpenWorkspace } from '../session.js';

const CHOICE = { check: { label: 'Check', kind: 'text' } } as const;

const COLUMNS: Column<LotCheckSummary>[] = [
  { head: 'Checked', cell: ({ checked_at }) => <Time at={checked_at} /> },
  { head: 'Confirmed', end: true, cell: ({ counts }) => `${count(counts.confirmed)} of ${count(counts.returned)}` },
  {
    head: 'Missing',
    meaning: 'Members that no returned stone is confirmed as.',
    end: true,
    cell: ({ counts }) => count(counts.members_unaccounted),
  },
  { head: 'Session', wide: true, cell: ({ session_type }) => <Word code={session_type} /> },
  { head: 'In a line', wide: true, cell: ({ verdict }) => <span title={verdict ?? undefined}>{verdict ?? '–'}</span> },
];

export default function LotPage() {
  const { id = '' } = useParams();
  const [name, setName] = useState<string>();
  return (
    <Page title={name ?? `Lot ${id.slice(0, 12)}…`} above={{ to: '/lots', label: 'Lots' }}>
      <WithWorkspace>{(open) => <Known open={open} id={id} named={setName} />}</WithWorkspace>
    </Page>
  );
}

function Known({ open, id, named }: { open: OpenWorkspace; id: string; named: (name?: string) => void }) {
  const lot = useLot(open, id);
  const works = useMayWork();
  const [, choose] = useFilters(CHOICE);
  useEffect(() => named(lot.data?.name), [named, lot.data?.name]);
  return (
    <Answer to={lot}>
      {(of) => (
        <>
          <Section title="Lot" aside={<Status code={of.status} />}>
            <LotFacts of={of} />
            <Retire open={open} of={of} />
          </Section>
          {works && of.status === 'active' && (
            <Check open={open} lot={of.lot_id} then={({ check_id }) => choose('check', check_id)} />
          )}
          <Checks open={open} of={of} />
          {works && of.status === 'active' && <Rehearse open={open} lot={of.lot_id} />}
        </>
      )}
    </Answer>
  );
}

const LotFacts = ({ of }: { of: LotWithChecks }) => (
  <Facts
    of={[
      ['stones', count(of.stones.length)],
      [
        'session',
        <>
          <Word code={of.session_type} />{' '}
          {of.session_type_source === 'estimated' ? (
            <Mark
              tone="doubt"
              title="The session type was not declared, and it decides the bar: correct it with PATCH before a check."
            >
              guessed
            </Mark>
          ) : (
            <Muted>declared</Muted>
          )}
        </>,
      ],
      ['twins', of.twins.length === 0 ? 'none' : counted(of.twins.length, ['pair', 'pairs'])],
      ['enrolled', <Time at={of.enrolled_at} />],
      of.retired_at !== null && ['retired', <Time at={of.retired_at} />],
      ...of.warnings.map((warning, i) => [i === 0 ? 'warnings' : '', warning] as const),
      ['lot', of.lot_id],
    ]}
  />
);

function Checks({ open, of }: { open: OpenWorkspace; of: LotWithChecks }) {
  const [{ check = of.checks[0]?.check_id }] = useFilters(CHOICE);
  if (of.checks.length === 0) return <Empty>The lot was never checked.</Empty>;
  return (
    <>
      <Section title="Checks" aside={<Muted>{counted(of.check_count, ['check', 'checks'])}</Muted>}>
        <Table
          label="list of checks"
          columns={COLUMNS}
          rows={of.checks}
          keyOf={({ check_id }) => check_id}
          to={({ check_id }) => `?${new URLSearchParams({ check: check_id })}`}
          chosen={check}
          height="18rem"
        />
      </Section>
      {check !== undefined && (
        <Tray open={open} lot={of.lot_id} check={check} says={of.checks.find((one) => one.check_id === check)} />
      )}
    </>
  );
}

interface TrayProps {
  open: OpenWorkspace;
  lot: string;
  check: string;
  /** In short, where it is among the listed ones. */
  says: LotCheckSummary | undefined;
}

function Tray({ open, lot, check, says }: TrayProps) {
  const tray = useTray(open, lot, check);
  const report = useAction(async () => {
    const page = await open.client.lotCheckReport(lot, check);
    save(new Blob([page], { type: 'text/html' }), `${check}.html`);
  });
  return (
    <Section
      title="Tray"
      aside={
        <Button size="xs" variant="default" loading={report.running} onClick={() => report.run(undefined)}>
          Download the report
        </Button>
      }
    >
      <Stack gap="sm">
        {says?.verdict && <Text size="sm">{says.verdict}</Text>}
        {says && says.not_confirmed.length > 0 && (
          <Text size="sm" className="long">
            Not confirmed: {says.not_confirmed.join(', ')}
          </Text>
        )}
        {report.error ? <Failure error={report.error} /> : null}
        <Answer to={tray}>
          {(svg) => (
            <img
              className="tray"
              src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
              alt={says?.verdict ?? 'the tray of the check, stone by stone'}
            />
          )}
        </Answer>
      </Stack>
    </Section>
  );
}

function Retire({ open, of }: { open: OpenWorkspace; of: LotWithChecks }) {
  const works = useMayWork();
  const [asked, setAsked] = useState(false);
  const [typed, setTyped] = useState('');
  const { run, running, error } = useAction(
    () => open.client.retireLot(of.lot_id),
    () => setAsked(false),
  );
  if (!works || of.status === 'retired') return null;
  return (
    <Group mt="sm">
      <Button size="xs" variant="default" onClick={() => setAsked(true)}>
        Retire
      </Button>
      <Dialogue title="Retire a lot" opened={asked} close={() => setAsked(false)}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            run(undefined);
          }}
        >
          <Stack>
            <Text size="sm">It is read as before and no longer checked, for good. Type its name to go on:</Text>
            <Text fw={600} className="long">
              {of.name}
            </Text>
            <TextInput
              label="Name of the lot"
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
            {error ? <Failure error={error} /> : null}
            <Button type="submit" color="red.9" loading={running} disabled={typed.trim() !== of.name.trim()}>
              Retire for good
            </Button>
          </Stack>
        </form>
      </Dialogue>
    </Group>
  );
}
