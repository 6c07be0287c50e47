/** The frame of every page: where one can go, the search, who is signed in, and whether the service answers. */
import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  Stack,
  Text,
  TextInput,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, Navigate, Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router';
import { useSession } from '../api.js';
import { fetchAhead } from '../files.js';
import { PAGES } from '../pages.js';
import { outdated } from '../release.js';
import { lost, mayReview, reloadPage, signOutEverywhere } from '../session.js';
import { Dialogue } from './dialogue.js';
import { keepFilters } from './kept.js';
import { useKeys } from './keys.js';
import { ShortTable } from './short-table.js';
import { Mark } from './show.js';
import { Undo } from './undo.js';

const LOTS = '/lots';
const isOfLots = (path: string) => path === LOTS || path.startsWith(`${LOTS}/`);
const CLAIM_ID = /^clm_[0-9a-f]{32}$/;

export function Shell() {
  const [menu, { toggle, close }] = useDisclosure();
  const { pathname, search } = useLocation();
  useEffect(() => keepFilters(pathname, search), [pathname, search]);
  const { trader = false } = useSession();
  const main = useRef<HTMLElement>(null);
  useEffect(() => void fetchAhead(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu
  useEffect(() => {
    close();
    // The link that led here may be gone with its page: the keyboard goes on from the new one.
    if (document.activeElement === document.body) main.current?.focus();
  }, [pathname]);
  // All other pages ask what an operator may ask.
  if (trader && !isOfLots(pathname)) return <Navigate to={LOTS} replace />;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 190, breakpoint: 'sm', collapsed: { mobile: !menu } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={menu} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="pages" />
          <Text fw={600} visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
            Match verification
          </Text>
          {!trader && <Search />}
          <Group gap="xs" wrap="nowrap" ml="auto">
            {!trader && <KeyHelp />}
            <Scheme />
            <Who />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="pages">
        <AppShell.Section grow className="scrolls">
          {PAGES.filter(({ path, label }) => label !== undefined && (!trader || path === LOTS)).map(
            ({ path, label }) => (
              <NavLink
                key={path}
                component={Link}
                to={path}
                label={label}
                active={path === '/' ? pathname === '/' : pathname.startsWith(path)}
                aria-current={pathname === path ? 'page' : undefined}
              />
            ),
          )}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main ref={main} tabIndex={-1}>
        <Lost />
        <Outdated />
        <Outlet />
        <Undo />
        <ScrollRestoration />
      </AppShell.Main>
    </AppShell>
  );
}

/** By the start of a claim's id or of a stone reference, in any case. */
function Search() {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  useKeys({
    '/': () => input.current?.select(),
    l: () => document.querySelector<HTMLElement>('main [data-row-link]')?.focus(),
  });
  const go = (text: string) => {
    const sought = text.trim();
    if (!sought) return;
    const id = sought.toLowerCase();
    navigate(CLAIM_ID.test(id) ? `/claims/${id}` : `/claims?${new URLSearchParams({ search: sought })}`);
    input.current?.blur();
  };
  return (
    <TextInput
      ref={input}
      aria-label="search for a claim or a stone reference"
      placeholder="claim or stone"
      rightSection={<kbd>/</kbd>}
      size="xs"
      w={{ base: 150, sm: 260 }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') go(currentTarget.value);
        if (key === 'Escape') currentTarget.blur();
      }}
    />
  );
}

const KEYS: [key: string, does: string][] = [
  ['/', 'search for a claim or a stone reference'],
  ['l', 'to the first row of the list; arrows go on, Enter opens'],
  ['?', 'these keys'],
  ['j', 'next in the review'],
  ['k', 'the one before'],
  ['c, w, i', 'outcome for a claim: confirmed, wrong, inconclusive'],
  ['e, a, r, m', 'outcome for a finding: explained, client asked, key revoked, no matter'],
  ['n', 'note of the review; Ctrl and Enter send it'],
  ['z', 'take the latest note back, within a minute'],
  ['Esc', 'close, leave the search'],
];

function KeyHelp() {
  const [open, { toggle, close }] = useDisclosure();
  useKeys({ '?': toggle });
  return (
    <>
      <ActionIcon variant="default" onClick={toggle} aria-label="keys" visibleFrom="sm">
        ?
      </ActionIcon>
      <Dialogue title="Keys" opened={open} close={close}>
        <ShortTable
          label="keys and what they do"
          rows={KEYS.map(([key, does]) => [<kbd key={key}>{key}</kbd>, does])}
        />
      </Dialogue>
    </>
  );
}

function Scheme() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon variant="default" onClick={() => setColorScheme(other)} aria-label={`${other} colours`}>
      {other === 'dark' ? '☾' : '☀'}
    </ActionIcon>
  );
}

function Who() {
  const here = useSession();
  return (
    <>
      <Group gap={6} wrap="nowrap" visibleFrom="sm">
        <Text size="sm" truncate maw={160} title={here.operator.name}>
          {here.operator.name}
        </Text>
        {!here.trader && !mayReview(here) && <Mark tone="ask">reads only</Mark>}
      </Group>
      <Button size="xs" variant="default" onClick={signOutEverywhere}>
        Sign out
      </Button>
    </>
  );
}

export function Lost() {
  const why = lost.use();
  if (why === undefined) return null;
  return (
    <Alert color="red" variant="outline" mb="md" role="alert" title="The service cannot be reached">
      What is shown may be old. The page asks again every three seconds and goes on by itself.
    </Alert>
  );
}

function Outdated() {
  const why = outdated.use();
  if (why === undefined) return null;
  return (
    <Alert color="yellow" variant="outline" mb="md" role="status" title={why}>
      <Text size="sm">The page loads again by itself as soon as nothing that you typed would be lost.</Text>
      <Button size="xs" variant="default" mt="xs" onClick={reloadPage}>
        Load it now
      </Button>
    </Alert>
  );
}

/** For a page without the frame. */
export const Centre = ({ children }: { children: ReactNode }) => (
  <Stack mih="100dvh" align="center" justify="center" p="md">
    {children}
  </Stack>
);
