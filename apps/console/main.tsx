/** The console's start: the theme, the answers that are kept, the pages, and the key that opens them. */
import './styles.js';
import './console.css';
import { Anchor, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, isRouteErrorResponse, Link, RouterProvider, useRouteError } from 'react-router';
import { SignIn } from './pages/sign-in.js';
import { PAGES } from './pages.js';
import { Empty, Failure, Page } from './parts/page.js';
import { Centre, Lost, Shell } from './parts/shell.js';
import { isSignedIn, lost, queries, reloadPage, resume, session } from './session.js';
import { cssVariables, theme } from './theme.js';

/** Of this load of the page: the only styles beside those of its files. */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Shown in place of a page that throws: the frame stays. */
function Fault() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NoPage />;
  return (
    <Page title="Fault">
      <Failure error={error} again={reloadPage} />
    </Page>
  );
}

const NoPage = () => (
  <Page title="No such page">
    <Empty>
      Nothing is at this address. Start from{' '}
      <Anchor component={Link} to="/" underline="always">
        Today
      </Anchor>
      .
    </Empty>
  </Page>
);

const router = createBrowserRouter(
  [
    {
      Component: Shell,
      children: [
        {
          ErrorBoundary: Fault,
          children: [...PAGES.map(({ path, Component }) => ({ path, Component })), { path: '*', Component: NoPage }],
        },
      ],
    },
  ],
  { basename: '/console' },
);

function Console() {
  const state = session.use();
  if (isSignedIn(state)) return <RouterProvider router={router} />;
  return state.resuming ? <Resuming /> : <SignIn notice={state.notice} />;
}

/** While it is not known whether somebody is signed in, as while the service restarts. */
function Resuming() {
  const why = lost.use();
  if (why === undefined) return null;
  return (
    <Centre>
      <Lost />
    </Centre>
  );
}

void resume();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Console />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
