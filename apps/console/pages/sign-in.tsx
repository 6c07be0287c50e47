/** The key page: it stands at every address until a key is given, and then the page of that address is there. */
import { Alert, Button, Checkbox, Paper, PasswordInput, Stack, Title, VisuallyHidden } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { Authentication, PermissionDenied } from '#client';
import { Centre } from '../parts/shell.js';
import { admit, begin, sentenceOf, signOn } from '../session.js';

function refusalOf(error: unknown): string {
  if (error instanceof PermissionDenied) return 'This key reads the metrics alone.';
  if (error instanceof Authentication)
    return error.code === 'credential_workspace'
      ? 'No active workspace has this token.'
      : 'No operator has this key. A client’s API key and a replay token open nothing here.';
  return `Not let in: ${sentenceOf(error)}.`;
}

export function SignIn({ notice }: { notice?: string }) {
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const [keep, setKeep] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Match verification';
  }, []);

  const enter = async (event: FormEvent) => {
    event.preventDefault();
    if (asking) return;
    setAsking(true);
    setRefusal(undefined);
    try {
      const admitted = await admit(key.trim(), keep);
      // Under this name a password manager keeps the key, as soon as the form is gone.
      flushSync(() => setName(admitted.operator.name));
      begin(admitted);
    } catch (error) {
      setRefusal(refusalOf(error));
      setAsking(false);
    }
  };

  return (
    <Centre>
      <Paper withBorder p="xl" w="100%" maw={420} component="main">
        <form onSubmit={enter}>
          <Stack>
            <Title order={1} size="h3">
              Match verification
            </Title>
            {notice && !refusal && (
              <Alert color="yellow" variant="outline" role="status">
                {notice}
              </Alert>
            )}
            {signOn && (
              <Button component="a" href="/console/sign-in">
                Sign in at {signOn.content}
              </Button>
            )}
            <VisuallyHidden>
              <input
                name="username"
                autoComplete="username"
                aria-label="operator, for a password manager"
                tabIndex={-1}
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
            </VisuallyHidden>
            <PasswordInput
              name="key"
              label="Operator key"
              description="What X-Svc-Admin carries; or the token of a workspace, which opens its lots. It stays in the memory of your tabs on this console and is forgotten when you sign out."
              value={key}
              onChange={({ currentTarget }) => {
                setKey(currentTarget.value);
                setRefusal(undefined);
              }}
              autoComplete="current-password"
              autoFocus
              required
              withAsterisk={false}
              error={refusal}
              visibilityToggleButtonProps={{ 'aria-label': 'show the key' }}
            />
            <Checkbox
              label="Keep it in this tab over a reload"
              description="In the tab’s session storage, until you sign out or close the tab"
              checked={keep}
              onChange={({ currentTarget }) => setKeep(currentTarget.checked)}
            />
            <Button type="submit" loading={asking}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Centre>
  );
}
