/** Operators who sign in at an identity provider, a real one, in a browser: both ways, and what goes wrong. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import Provider from 'oidc-provider';
import type { Browser } from 'playwright-core';
import { TestService } from '../../apps/server/test/fixture.js';
import { browserIsHere } from '../browser.js';
import { freePort } from '../ports.js';
import { ConsoleWindow, launch } from './fixture.js';

/** By subject. */
const roles: Record<string, string[]> = { olga: ['operate'], anna: ['audit'], rita: ['review'] };
let lasts = 3600;

async function providerFor(address: string): Promise<{ issuer: string; open(): Promise<void>; close(): void }> {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: 'console', token_endpoint_auth_method: 'none', grant_types: ['authorization_code'] },
        ...{ response_types: ['code'], redirect_uris: [`${address}/console/signed-in`] },
        post_logout_redirect_uris: [`${address}/console/`],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'roles'], email: ['email'] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `${id} of the test`, roles: roles[id] ?? [] }),
    }),
    ttl: { IdToken: () => lasts },
  });
  let server: Server;
  return {
    issuer,
    async open() {
      server = provider.listen(port);
      await once(server, 'listening');
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

(browserIsHere ? describe : describe.skip)('signing in at an identity provider', () => {
  let service: TestService;
  let provider: Awaited<ReturnType<typeof providerFor>>;
  let browser: Browser;
  const opened: ConsoleWindow[] = [];

  beforeAll(async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    provider = await providerFor(address);
    await provider.open();
    service = await TestService.startWithoutKey({
      ...{ PORT: String(port), MVS_PUBLIC_URL: address },
      ...{ MVS_OIDC_ISSUER: provider.issuer, MVS_OIDC_CLIENT_ID: 'console' },
    });
    browser = await launch();
  });
  afterAll(async () => {
    for (const window of opened) await window.close();
    await browser.close();
    await service.stop();
    provider.close();
  });

  const visitor = async () => {
    const window = await ConsoleWindow.open(browser, service.address);
    opened.push(window);
    return window;
  };
  const link = ({ page }: ConsoleWindow) => page.getByRole('link', { name: /^Sign in at localhost/ });
  /** Through the provider's own pages. */
  const signIn = async (window: ConsoleWindow, who: string) => {
    const { page } = window;
    await window.go('/');
    await link(window).click();
    await page.locator('input[name=login]').fill(who);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  const signedIn = ({ page }: ConsoleWindow) => page.getByRole('button', { name: 'Sign out' }).waitFor();

  it('opens the console, is shown with issuer and subject, and is kept over a reload and for other tabs', async () => {
    const window = await visitor();
    await window.go('/');
    await link(window).waitFor();
    expect(await window.accessibility()).toEqual([]);
    await window.picture('sign-on');
    await signIn(window, 'olga');
    await signedIn(window);
    const cookies = await window.context.cookies(service.address);
    const session = cookies.find(({ name }) => name === 'mvs_session');
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect(await window.page.evaluate('document.cookie')).not.toContain('mvs_session');
    await window.page.reload();
    await signedIn(window);
    const tab = await window.tab('/keys');
    await signedIn(tab);
    await tab.page.getByText(`olga of the test <${provider.issuer}#olga>`).first().waitFor();
    await tab.page.getByRole('button', { name: 'Create a key' }).waitFor();
  });

  it('ends at the console and at the provider, and in other tabs', async () => {
    const window = await visitor();
    await signIn(window, 'olga');
    await signedIn(window);
    const tab = await window.tab('/keys');
    await signedIn(tab);
    await window.page.getByRole('button', { name: 'Sign out' }).click();
    await window.page.getByRole('button', { name: /sign me out/i }).click();
    await link(window).waitFor();
    await link(tab).waitFor();
    expect((await window.context.cookies(service.address)).map(({ name }) => name)).not.toContain('mvs_session');
  });

  it('lets an auditor read and nothing more, and nobody in whose role was taken away', async () => {
    const auditor = await visitor();
    await signIn(auditor, 'anna');
    await signedIn(auditor);
    await auditor.go('/keys');
    await auditor.page
      .getByText('read everything', { exact: false })
      .or(auditor.page.getByText('audit'))
      .first()
      .waitFor();
    expect(await auditor.page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
    roles.anna = [];
    const later = await visitor();
    await signIn(later, 'anna');
    await link(later).waitFor();
    await later.page.getByText(/not for this/).waitFor();
  });

  it('ends with its token', async () => {
    lasts = 5;
    const window = await visitor();
    await signIn(window, 'olga');
    await signedIn(window);
    lasts = 3600;
    await window.page.getByText(/Sign in again/).waitFor();
    await link(window).waitFor();
  });

  it('takes a code once, and none that this browser did not ask for', async () => {
    const window = await visitor();
    const codes: string[] = [];
    window.page.on('request', (request) => {
      if (request.url().includes('/console/signed-in?')) codes.push(request.url());
    });
    await signIn(window, 'olga');
    await signedIn(window);
    const other = await visitor();
    for (const one of [window, other]) {
      await one.context.clearCookies({ name: 'mvs_session' });
      await one.page.goto(codes[0]);
      await one.page.getByText(/did not let you in/).waitFor();
    }
  });

  it('goes on for those who are in while the provider is away, and tells the others', async () => {
    const window = await visitor();
    await signIn(window, 'olga');
    await signedIn(window);
    provider.close();
    try {
      await window.page.reload();
      await signedIn(window);
      const late = await visitor();
      await late.go('/');
      await link(late).click();
      await late.page.getByText(/cannot be reached/).waitFor();
    } finally {
      await provider.open();
    }
  });
});
