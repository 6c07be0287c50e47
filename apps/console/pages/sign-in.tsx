/** The key page: it stands at every address until a key is given, and then the page of that address is there. */
import { Alert, Button, Checkbox, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { PermissionDenied } from '#client';
import { Centre } from '../parts/shell.js';
import { sentenceOf, signIn } from '../session.js';

export function SignIn({ notice }: { notice?: string }) {
  const [key, setKey] = useState('');
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
      await signIn(key.trim(), keep);
    } catch (error) {
      setRefusal(
        error instanceof PermissionDenied ? 'This key reads the metrics alone.' : `Not let in: ${sentenceOf(error)}.`,
      );
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
            <PasswordInput
              label="Operator key"
              description="What X-Svc-Admin carries. It stays in this tab’s memory and is forgotten when you sign out."
              value={key}
              onChange={({ currentTarget }) => setKey(currentTarget.value)}
              autoComplete="off"
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
            <Text size="xs" c="dimmed">
              A client’s API key or a replay token opens nothing here.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Centre>
  );
}
