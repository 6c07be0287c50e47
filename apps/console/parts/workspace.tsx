/** Lots belong to workspaces, whose tokens open them: a page about lots asks for one, and shows which one is open. */
import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAnswer, useSession } from '../api.js';
import { isOpen, mayOperate, type OpenWorkspace, openWorkspace, sentenceOf, workspace } from '../session.js';
import { CreateWorkspace } from './key-dialogues.js';
import { Answer, Section } from './page.js';
import { Muted, Status } from './show.js';

const useWorkspaces = () =>
  useAnswer(['workspaces'], async (client, signal) => {
    const found = [];
    for await (const one of client.workspaces({}, signal)) found.push(one);
    return found;
  });

export function WithWorkspace({ children }: { children: (open: OpenWorkspace) => ReactNode }) {
  const { trader } = useSession();
  const state = workspace.use();
  if (trader && isOpen(state)) return children(state);
  return isOpen(state) ? <Opened of={state}>{children(state)}</Opened> : <Choice notice={state.notice} />;
}

function Opened({ of, children }: { of: OpenWorkspace; children: ReactNode }) {
  const all = useWorkspaces();
  const name = all.data?.find(({ prefix }) => prefix === of.prefix)?.name;
  return (
    <>
      <Group gap="xs">
        <Text size="sm" className="long">
          Workspace {name ?? of.prefix}
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => workspace.set({})}>
          Another one
        </Button>
      </Group>
      {children}
    </>
  );
}

function Choice({ notice }: { notice?: string }) {
  const [token, setToken] = useState('');
  const operates = mayOperate(useSession());
  const all = useWorkspaces();
  const open = (event: FormEvent) => {
    event.preventDefault();
    try {
      openWorkspace(token.trim());
    } catch (error) {
      workspace.set({ notice: sentenceOf(error) });
    }
  };
  return (
    <>
      <Section
        title="Choose a workspace"
        meaning="Lots are seen by who holds the workspace’s token; an operator’s key opens none."
      >
        <form onSubmit={open}>
          <Stack gap="sm">
            {notice && (
              <Alert color="yellow" variant="outline" role="status">
                {notice}
              </Alert>
            )}
            <PasswordInput
              label="Token of the workspace"
              description="What X-Svc-Token carries. It stays in this tab’s memory until you sign out or choose another one."
              value={token}
              onChange={({ currentTarget }) => setToken(currentTarget.value)}
              autoComplete="off"
              maw={420}
              visibilityToggleButtonProps={{ 'aria-label': 'show the token' }}
            />
            <Group>
              <Button type="submit" size="xs" disabled={token.trim() === ''}>
                Open
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
      <Section
        title="Workspaces"
        meaning="Made by operators; a token begins as it is shown here."
        aside={operates && <CreateWorkspace />}
      >
        <Answer to={all}>
          {(found) => (
            <Stack gap={4} className="figures">
              {found.length === 0 && <Muted>There is no workspace yet.</Muted>}
              {found.map(({ name, prefix, status }) => (
                <Text key={prefix} size="sm" className="long">
                  {name} <Muted>{prefix}…</Muted> <Status code={status} />
                </Text>
              ))}
            </Stack>
          )}
        </Answer>
      </Section>
    </>
  );
}
