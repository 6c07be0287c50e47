/** What the holder of a workspace's token does with scans: a lot is enrolled, what came back is checked, and an exchange is rehearsed. */
import { Button, FileInput, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Lot, LotCheck, LotScans, Rehearsal } from '#client';
import { useSession } from '../api.js';
import { count, percent } from '../format.js';
import { mayOperate, type OpenWorkspace } from '../session.js';
import { inWords } from '../words.js';
import { useAction } from './action.js';
import { Failure, Section } from './page.js';
import { Facts, Muted } from './show.js';

type SessionType = NonNullable<LotScans['sessionType']>;
const SESSIONS: SessionType[] = ['shaken', 'table-up', 'culet-focus'];

/** The token lets its holder, and an operator who has it: not those who only read. */
export function useMayWork(): boolean {
  const here = useSession();
  return here.trader === true || mayOperate(here);
}

interface ScanFormProps<T> {
  label: string;
  /** False while something else is missing. */
  ready?: boolean;
  send: (scans: LotScans & { files: File[] }) => Promise<T>;
  then?: (answer: T) => void;
  children?: ReactNode;
}

function ScanForm<T extends Pick<Lot | LotCheck, 'unused'>>({
  label,
  ready = true,
  send,
  then,
  children,
}: ScanFormProps<T>) {
  const [files, setFiles] = useState<File[]>([]);
  const [session, setSession] = useState('');
  const { submit, running, error, answer } = useAction(
    () => send({ files, sessionType: (session as SessionType) || undefined }),
    (answer) => {
      setFiles([]);
      then?.(answer);
    },
  );
  return (
    <form onSubmit={submit(undefined)} data-unsaved={files.length > 0 || undefined}>
      <Stack gap="sm">
        <Group align="end">
          {children}
          <FileInput
            size="xs"
            label="Scan files"
            description="Each named by its stone and a number, as A12_1.csv; or a zip"
            placeholder="choose files"
            multiple
            clearable
            value={files}
            onChange={setFiles}
            w={300}
          />
          <NativeSelect
            size="xs"
            label="How the stones lay"
            data={[
              { value: '', label: 'to be told from the scans' },
              ...SESSIONS.map((value) => ({ value, label: inWords(value) })),
            ]}
            value={session}
            onChange={({ currentTarget }) => setSession(currentTarget.value)}
          />
          <Button type="submit" size="xs" loading={running} disabled={!ready || files.length === 0}>
            {label}
          </Button>
        </Group>
        {running && <Muted>Sent and measured: a large lot takes a minute.</Muted>}
        {error ? <Failure error={error} /> : null}
        {answer?.unused?.map(({ file, reason }) => (
          <Text key={file} size="sm" className="long" role="status">
            Not used: {file}, {reason}
          </Text>
        ))}
      </Stack>
    </form>
  );
}

export function Enrol({ open }: { open: OpenWorkspace }) {
  const [name, setName] = useState('');
  return (
    <Section
      title="Enrol a lot"
      meaning="Stones that are scanned before they leave, so that they are known again when they come back."
    >
      <ScanForm
        label="Enrol"
        ready={name.trim() !== ''}
        send={(scans) => open.client.enrolLot(name.trim(), scans)}
        then={() => setName('')}
      >
        <TextInput
          size="xs"
          label="Name of the lot"
          description="One for each lot of the workspace"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      </ScanForm>
    </Section>
  );
}

export const Check = ({ open, lot, then }: { open: OpenWorkspace; lot: string; then: (check: LotCheck) => void }) => (
  <Section title="Check what came back" meaning="Which of the returned stones are members of the lot.">
    <ScanForm label="Check" send={(scans) => open.client.checkLot(lot, scans)} then={then} />
  </Section>
);

export function Rehearse({ open, lot }: { open: OpenWorkspace; lot: string }) {
  const [share, setShare] = useState('20');
  const { run, running, error, answer } = useAction<void, Rehearsal>(() =>
    open.client.rehearseLot(lot, { substitution: Number(share) / 100 }),
  );
  return (
    <Section
      title="Rehearse an exchange"
      meaning="How many of the stones that somebody exchanged would be caught. It changes nothing."
    >
      <Stack gap="sm">
        <Group align="end">
          <TextInput
            size="xs"
            label="Stones exchanged, in %"
            inputMode="decimal"
            value={share}
            onChange={({ currentTarget }) => setShare(currentTarget.value)}
            w={170}
          />
          <Button size="xs" variant="default" loading={running} onClick={() => run()}>
            Rehearse
          </Button>
        </Group>
        {error ? <Failure error={error} /> : null}
        {answer && <Rehearsed of={answer} />}
      </Stack>
    </Section>
  );
}

const SUBSTITUTES = { members: 'of its own stones', cohort: 'of other lots', lots: 'of the lots named' };
const shareOf = ({ share, interval: [low, high] }: Rehearsal['tried'][number]['caught']) =>
  `${percent(share)} (95%: ${percent(low)} to ${percent(high)})`;

const Rehearsed = ({ of }: { of: Rehearsal }) => (
  <Stack gap="xs" role="status">
    <Facts
      of={[
        ['caught', of.caught === null ? 'nothing can be promised' : `${shareOf(of.caught)} of ${count(of.offered)}`],
        ...of.tried.map(
          ({ substitutes, caught }) => [`substitutes ${SUBSTITUTES[substitutes]}`, shareOf(caught)] as const,
        ),
        ['one foreign stone alone confirmed', percent(of.one_stone_false_accept)],
        [
          'members taken for it most often',
          of.falsely_matched.map(({ stone, times }) => `${stone} (${count(times)})`).join(', ') || 'none',
        ],
        [
          'members that cannot be told apart',
          of.invisible_swaps.map(({ a, b }) => `${a} and ${b}`).join(', ') || 'none',
        ],
        ['draws', `${count(of.draws)}, ${count(of.vacated)} places vacated in each, seed ${of.seed}`],
      ]}
    />
    {of.notes.map((note) => (
      <Text key={note} size="sm" className="long">
        {note}
      </Text>
    ))}
  </Stack>
);
