/** The console's frame: its key, its policy, its addresses, and what it weighs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { TestService } from '../../apps/server/test/fixture.js';
import { browserIsHere } from '../browser.js';
import { ConsoleWindow, keyOf, launch, type Seeded, seed } from './fixture.js';

const BUILT = join('dist', 'console');
/** Bytes that are loaded before the first page is there, gzipped. */
const MAX_START_BYTES = 350_000;
/** Bytes of all files of the console, as browsers ask for them (brotli). */
const MAX_SESSION_BYTES = 395_000;

describe('the console', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  it('is a page with a nonce of its own for each load, and lets nothing else in', async () => {
    const loads = await Promise.all(['/console', '/console/claims/x?y=1'].map((path) => service.call('GET', path)));
    const nonces = loads.map(({ status, headers, body }) => {
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('set-cookie')).toBeNull();
      const policy = headers.get('content-security-policy')!;
      const [, nonce] = /'nonce-([^']+)'/.exec(policy)!;
      expect(policy.replace(nonce, 'N')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; connect-src 'self'; img-src 'self' data:; font-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      );
      expect(body).toContain(`nonce="${nonce}"`);
      expect(body).not.toContain('__NONCE__');
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  it('serves what the page loads as the build compressed it, for good; nothing else of the disk', async () => {
    const [script] = readdirSync(join(BUILT, 'assets')).filter((name) => name.endsWith('.js'));
    for (const [coding, ending] of [
      ['br', '.br'],
      ['gzip', '.gz'],
      ['identity', ''],
    ]) {
      const answer = await fetch(`${service.address}/console/assets/${script}`, {
        headers: { 'accept-encoding': coding },
      });
      expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, ending === '' ? null : coding]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(await answer.text()).toBe(readFileSync(join(BUILT, 'assets', script), 'utf8'));
    }
    for (const file of ['nothing.js', '..%2findex.html', '%2e%2e%2f.sources', `${script}.br`, `${script}.gz`])
      expect((await service.call('GET', `/console/assets/${file}`)).status).toBe(404);
  });

  it('starts with 350 kB at most, and loads 395 kB in all', () => {
    const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
    const first = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, file]) => file);
    expect(first.length).toBeGreaterThan(1);
    const session = readdirSync(join(BUILT, 'assets')).filter((file) => file.endsWith('.br'));
    const all = session.map((file) => readFileSync(join(BUILT, 'assets', file)).length).reduce((a, b) => a + b);
    expect(all).toBeLessThanOrEqual(MAX_SESSION_BYTES);
    const bytes = first.map((file) => readFileSync(join(BUILT, `${file}.gz`)).length).reduce((a, b) => a + b);
    expect(bytes).toBeLessThanOrEqual(MAX_START_BYTES);
  });
});

(browserIsHere ? describe : describe.skip)('the console in chromium', () => {
  let seeded: Seeded;
  let browser: Browser;
  let window: ConsoleWindow;
  const open = async (
    ...options: Parameters<typeof ConsoleWindow.open> extends [unknown, unknown, ...infer R] ? R : never
  ) => {
    window = await ConsoleWindow.open(browser, seeded.service.address, ...options);
    return window;
  };
  beforeAll(async () => {
    [seeded, browser] = await Promise.all([seed(5), launch()]);
  });
  afterEach(() => window.close());
  afterAll(async () => {
    await browser.close();
    await seeded.stop();
  });

  it('asks for a key, refuses one that is none of an operator, and goes to the page of the address', async () => {
    const { page } = await open();
    await window.go('/?window=7d');
    for (const [key, said] of [
      ['nonsense', 'No operator has this key'],
      ['two words', 'holds a character that no header may carry'],
    ]) {
      await page.getByLabel('Operator key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(said).waitFor();
    }
    await page.getByLabel('Operator key').fill(keyOf('olga'));
    await page.keyboard.press('Enter');
    await window.heading('Today').waitFor();
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
    expect(page.url()).toBe(`${seeded.service.address}/console/?window=7d`);
  });

  it('keeps the key in memory alone, over a reload only where it is asked to, and forgets it', async () => {
    const { page } = await open();
    const stored = () =>
      page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href])');
    await window.signIn('olga', { keep: false });
    expect(await stored()).not.toContain(keyOf('olga'));
    await page.reload();
    await page.getByLabel('Operator key').waitFor();
    await window.signIn('olga', { keep: true });
    await page.reload();
    await window.heading('Today').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').waitFor();
    expect(await stored()).not.toContain(keyOf('olga'));
    await page.reload();
    await page.getByLabel('Operator key').waitFor();
  });

  it('breaks no policy of its page, asks nobody else, and sends the key as a header alone', async () => {
    const { page, complaints } = await open({ scheme: 'dark' });
    const asked: { url: string; key: string | undefined }[] = [];
    page.on('request', (request) => asked.push({ url: request.url(), key: request.headers()['x-svc-admin'] }));
    await window.signIn('anna');
    await page.getByText('reads only').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^search/);
    expect(asked.filter(({ key }) => key === keyOf('anna')).length).toBeGreaterThan(2);
    expect(asked.filter(({ url }) => url.includes(keyOf('anna')))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('says that the service does not answer, and goes on by itself once it does', async () => {
    const { page } = await open();
    await window.signIn();
    await page.route('**/api/**', (route) => route.abort());
    await page.route('**/health/**', (route) => route.abort());
    await page.getByText('7 days').click();
    await page.getByText('The service cannot be reached').first().waitFor();
    await page.unroute('**/api/**');
    await page.unroute('**/health/**');
    await page.getByText('What is shown may be old').waitFor({ state: 'hidden' });
    await page.getByText('Waits for you').waitFor();
  });

  it('asks for a key again where it is no longer known, and keeps the page', async () => {
    const { page } = await open();
    await window.signIn('olga', { path: '/?window=30d' });
    const refused = { status: 401, json: { detail: 'valid X-Svc-Admin header required', code: 'credential_operator' } };
    await page.route('**/api/**', (route) => route.fulfill(refused));
    await page.getByText('7 days').click();
    await page.getByText('no longer knows this key').waitFor();
    await page.unroute('**/api/**');
    await page.getByLabel('Operator key').fill(keyOf('otto'));
    await page.keyboard.press('Enter');
    await window.heading('Today').waitFor();
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
  });
});
