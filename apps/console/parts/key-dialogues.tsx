/** Dialogues that make a key or a workspace’s token, which are shown once, and that end a key. */
import { Alert, Button, Checkbox, CopyButton, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { useBlocker } from 'react-router';
import type { CreatedKey, Key, NewKey } from '#client';
import { useSession } from '../api.js';
import { inWords, meaningOf } from '../words.js';
import { useAction } from './action.js';
import { Dialogue } from './dialogue.js';
import { Failure } from './page.js';

/** What was made, shown once. */
interface Made {
  title: string;
  what: 'key' | 'token';
  secret: string;
  /** Where and by whom it is used. */
  says: string;
}

export const CreateKey = () => (
  <Create
    label="Create a key"
    form={(then) => (
      <NewKeyForm
        then={({ key, name, population, kind }) =>
          then({
            ...{ title: `Key of ${name}`, what: 'key', secret: key },
            says: `Population ${population}, ${inWords(kind)}.`,
          })
        }
      />
    )}
  />
);

export const CreateWorkspace = () => (
  <Create label="Create a workspace" form={(then) => <NewWorkspaceForm then={then} />} />
);

function Create({ label, form }: { label: string; form: (then: (made: Made) => void) => ReactNode }) {
  const [opened, { open, close }] = useDisclosure();
  const [made, setMade] = useState<Made>();
  const done = () => {
    setMade(undefined);
    close();
  };
  // One dialogue for both: so the focus goes back to the button in the end.
  return (
    <>
      <Button size="xs" onClick={open}>
        {label}
      </Button>
      <Dialogue title={made?.title ?? label} opened={opened} close={done} stays={made !== undefined}>
        {made ? <ShownOnce of={made} close={done} /> : form(setMade)}
      </Dialogue>
    </>
  );
}

/** The name of what is made. @param of what it is the name of */
const NameInput = ({ of, name, set }: { of: string; name: string; set: (name: string) => void }) => (
  <TextInput
    label="Name"
    description={`${of}; a name is taken for good`}
    value={name}
    onChange={({ currentTarget }) => set(currentTarget.value)}
    required
    withAsterisk={false}
    data-autofocus
  />
);

function NewWorkspaceForm({ then }: { then: (made: Made) => void }) {
  const { client } = useSession();
  const [name, setName] = useState('');
  const { submit, running, error } = useAction(
    () => client.createWorkspace(name.trim()),
    ({ name, token }) =>
      then({
        ...{ title: `Token of ${name}`, what: 'token', secret: token },
        says: 'Its holder signs in to this console with it; programs send it as X-Svc-Token.',
      }),
  );
  return (
    <form onSubmit={submit(undefined)}>
      <Stack>
        <NameInput of="The trader or laboratory whose lots are in it" name={name} set={setName} />
        {error ? <Failure error={error} /> : null}
        <Button type="submit" loading={running} disabled={name.trim() === ''}>
          Create
        </Button>
      </Stack>
    </form>
  );
}

function NewKeyForm({ then }: { then: (created: CreatedKey) => void }) {
  const { client } = useSession();
  const [name, setName] = useState('');
  const [population, setPopulation] = useState('');
  const [contact, setContact] = useState('');
  const [end, setEnd] = useState('');
  const [reads, setReads] = useState(false);
  const [kind, setKind] = useState<NewKey['kind']>('production');
  const { submit, running, error } = useAction((wish: NewKey) => client.createKey(wish), then);
  const wish = {
    ...{ name: name.trim(), kind, contact, reads_population: reads },
    ...(population.trim() && { population: population.trim() }),
    ...(end && { expires_at: end }),
  };
  return (
    <form onSubmit={submit(wish)}>
      <Stack>
        <NameInput of="One for each machine or integration" name={name} set={setName} />
        <TextInput
          label="Population"
          description="Whose thresholds decide; the key’s own name where it is left empty"
          value={population}
          onChange={({ currentTarget }) => setPopulation(currentTarget.value)}
        />
        <TextInput
          label="Contact"
          description="Whom to ask about it"
          value={contact}
          onChange={({ currentTarget }) => setContact(currentTarget.value)}
        />
        <TextInput
          label="Ends"
          placeholder="yyyy-mm-dd"
          description="Refused from that day on (UTC)"
          value={end}
          onChange={({ currentTarget }) => setEnd(currentTarget.value)}
        />
        <Checkbox
          label="Reads claims of all keys of its population"
          checked={reads}
          onChange={({ currentTarget }) => setReads(currentTarget.checked)}
        />
        <Radio.Group label="Kind" value={kind} onChange={(to) => setKind(to as NewKey['kind'])}>
          <Group mt={6}>
            {['production', 'test'].map((one) => (
              <Radio key={one} value={one} label={inWords(one)} title={meaningOf(one)} />
            ))}
          </Group>
        </Radio.Group>
        {error ? <Failure error={error} /> : null}
        <Button type="submit" loading={running} disabled={name.trim() === ''}>
          Create
        </Button>
      </Stack>
    </form>
  );
}

/** The secret itself, which the service shows this once: nothing leads away from it but the word that it is stored. */
function ShownOnce({ of, close }: { of: Made; close: () => void }) {
  const [stored, setStored] = useState(false);
  useWindowEvent('beforeunload', (event) => event.preventDefault());
  const leaving = useBlocker(true);
  useEffect(() => {
    if (leaving.state === 'blocked') leaving.reset();
  }, [leaving]);
  return (
    <Stack>
      <Alert color="yellow" variant="outline" title="Shown this once">
        Store it now where it will be used. It cannot be shown again; a lost {of.what} is revoked and replaced.
      </Alert>
      <pre className="secret" data-testid={of.what}>
        {of.secret}
      </pre>
      <CopyButton value={of.secret}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} autoFocus>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
      <Text size="sm" c="dimmed">
        {of.says}
      </Text>
      <Checkbox
        label={`I have stored the ${of.what}`}
        checked={stored}
        onChange={({ currentTarget }) => setStored(currentTarget.checked)}
      />
      <Button onClick={close} disabled={!stored}>
        Done
      </Button>
    </Stack>
  );
}

/** @param of the key that is about to end; none while none is chosen */
export const RevokeKey = ({ of, close }: { of: Key | undefined; close: () => void }) => (
  <Dialogue title="Revoke a key" opened={of !== undefined} close={close}>
    {of && <RevokeForm of={of} close={close} />}
  </Dialogue>
);

function RevokeForm({ of, close }: { of: Key; close: () => void }) {
  const { client } = useSession();
  const [typed, setTyped] = useState('');
  const { submit, running, error } = useAction(() => client.revokeKey(of.prefix), close);
  return (
    <form onSubmit={submit(undefined)}>
      <Stack>
        <Text size="sm">
          Claims with it are refused at once and for good. What it sent stays. Type its name to go on:
        </Text>
        <Text fw={600} className="long">
          {of.name}
        </Text>
        <TextInput
          label="Name of the key"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        {error ? <Failure error={error} /> : null}
        <Group>
          <Button type="submit" color="red.9" loading={running} disabled={typed.trim() !== of.name.trim()}>
            Revoke for good
          </Button>
          <Button variant="default" onClick={close}>
            Keep it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
