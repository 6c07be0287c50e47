/** The console's tabs over a restart of the service and over a release, and what they tell one another. */
import type { Browser, Page } from 'playwright-core';
import { browserIsHere } from '../browser.js';
import { until } from '../until.js';
import { ConsoleWindow, keyOf, launch, type Seeded, seed } from './fixture.js';

const MENU = [
  'Today',
  'Claims',
  'Review',
  'Findings',
  'Telemetry',
  'Drift',
  'Hygiene',
  'Calibration',
  'Lots',
  'Keys',
  'System',
];
const KEPT = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href])';

(browserIsHere ? describe : describe.skip)('tabs of the console (chromium)', () => {
  let seeded: Seeded;
  let browser: Browser;
  let window: ConsoleWindow;
  let page: Page;
  beforeAll(async () => {
    [seeded, browser] = await Promise.all([seed(), launch()]);
  });
  beforeEach(async () => {
    window = await ConsoleWindow.open(browser, seeded.service.address);
    page = window.page;
  });
  afterEach(() => window.close());
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });

  const isIn = (of: Page) => of.getByRole('button', { name: 'Sign out' }).waitFor();
  const hasFetched = (of: Page, file: string) =>
    until(async () =>
      of.evaluate(`performance.getEntriesByType('resource').some(({ name }) => name.includes('${file}'))`),
    );
  const menu = (of: Page, name: string) =>
    of.getByRole('navigation', { name: 'pages' }).getByRole('link', { name, exact: true }).click();

  it('outlive a restart of the service on every page, visited or not', async () => {
    await window.signIn('olga', { keep: false });
    for (const file of ['echarts', 'verify.worker']) await hasFetched(page, file);
    const { service, claims } = seeded;
    const one = async (path: string) => (await service.call('GET', path, { headers: service.operator })).body.items[0];
    const { id } = await one('/api/v1/findings');
    const { prefix } = await one('/api/v1/keys');
    const paths = [
      ...['/', '/claims', `/claims/${claims[50]}`, '/review', '/review?of=findings', '/findings', `/findings/${id}`],
      ...['/telemetry', '/drift', '/hygiene', '/calibration', '/calibration/antwerp?rung=0.99', '/lots', '/keys'],
      ...[`/keys/${prefix}`, '/system', '/system/log'],
    ];
    const tabs: ConsoleWindow[] = [];
    for (const path of paths) {
      const tab = await window.tab(path);
      await isIn(tab.page);
      await tab.settle();
      tabs.push(tab);
    }
    const review = tabs[paths.indexOf('/review')].page;
    await review.getByRole('textbox', { name: 'Note' }).fill('half a sentence');
    await seeded.restart(async () => {
      // Pages that this tab never saw, with what they say while nobody answers.
      for (const name of MENU) {
        await menu(page, name);
        await window.heading(name).waitFor();
        await page.getByText('The service cannot be reached').first().waitFor();
      }
      await menu(page, 'Telemetry');
      await review.getByRole('button', { name: 'Note it' }).click();
      await review.getByText('This did not work').first().waitFor();
    });
    await page.getByText('What is shown may be old').waitFor({ state: 'hidden' });
    await page.getByRole('img', { name: /^[1-9]\d* calls from/ }).waitFor();
    for (const [i, { page: tab }] of tabs.entries()) {
      await tab.getByText('What is shown may be old').waitFor({ state: 'hidden' });
      expect([paths[i], await tab.getByRole('button', { name: 'Sign out' }).count()]).toEqual([paths[i], 1]);
      expect(tab.url()).toBe(`${seeded.service.address}/console${paths[i]}`);
    }
    expect(await review.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('half a sentence');
    await review.getByRole('button', { name: 'Note it' }).click();
    await until(async () => (await review.getByRole('textbox', { name: 'Note' }).inputValue()) === '');
  });

  it('say that there is a release, and reload with the operator in once nothing typed is lost', async () => {
    await window.signIn('olga', { path: `/claims/${seeded.claims[50]}`, keep: false });
    const note = page.getByRole('textbox', { name: 'Note' });
    await note.fill('not sent yet');
    let loads = 0;
    page.on('load', () => loads++);
    await seeded.restart(async () => {
      // The page of the new release names its script by other content.
      await window.context.route(/\/console\/?(claims\/.*)?$/, async (route) => {
        // While the service is away the browser has no page either.
        const response = await route.fetch().catch(() => undefined);
        if (response === undefined) return route.abort();
        const body = (await response.text()).replace(/(index-[^."]+\.js)/g, '$1?released');
        await route.fulfill({ response, body });
      });
      await page.getByText('The service cannot be reached').first().waitFor();
    });
    await page.getByText('There is a new release of the console.').waitFor();
    await page.waitForTimeout(7_000);
    expect([loads, await note.inputValue()]).toEqual([0, 'not sent yet']);
    await note.fill('');
    await until(() => loads === 1);
    await isIn(page);
    await window.heading(/^Claim clm_/).waitFor();
    expect(await page.locator('script[src*="?released"]').count()).toBe(1);
    expect(await page.evaluate(KEPT)).not.toContain(keyOf('olga'));
    await page.waitForTimeout(4_000);
    expect(loads).toBe(1);
  });

  it('draw a chart as soon as its file comes', async () => {
    await window.context.route(/echarts|console\/$/, (route) => route.abort());
    await window.signIn('olga', { path: '/telemetry' });
    await page.getByText('The chart is not drawn yet').first().waitFor();
    await window.context.unroute(/echarts|console\/$/);
    await page.getByRole('img', { name: /^[1-9]\d* calls from/ }).waitFor();
  });

  it('wait for a service that does not answer while they load, and go on without asking for the key', async () => {
    await window.signIn('olga', { keep: true });
    await window.context.route(/\/(api|health)\//, (route) => route.abort());
    await page.reload();
    await page.getByText('The service cannot be reached').waitFor();
    expect(await page.getByLabel('Operator key').count()).toBe(0);
    await window.context.unroute(/\/(api|health)\//);
    await window.heading('Today').waitFor();
  });

  it('have the key from one another, keep it nowhere, and end together', async () => {
    const early = await window.tab('/keys');
    await early.page.getByLabel('Operator key').waitFor();
    await window.signIn('olga', { keep: false });
    await early.heading('Keys').waitFor();
    await page.getByRole('link', { name: 'Claims', exact: true }).click();
    await page.locator('a[data-row-link]').first().waitFor();
    const [opened] = await Promise.all([
      window.context.waitForEvent('page'),
      page
        .locator('a[data-row-link]')
        .first()
        .click({ modifiers: ['Control'] }),
    ]);
    await opened.getByRole('heading', { level: 1, name: /^Claim clm_/ }).waitFor();
    for (const tab of [page, early.page, opened]) expect(await tab.evaluate(KEPT)).not.toContain(keyOf('olga'));
    await opened.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, early.page, opened]) await tab.getByLabel('Operator key').waitFor();
    const later = await window.tab('/');
    await later.page.getByLabel('Operator key').waitFor();
  });

  it('have a form that password managers fill and keep', async () => {
    await window.go(`/claims/${seeded.claims[50]}`);
    const key = page.getByLabel('Operator key');
    await key.waitFor();
    expect(await key.getAttribute('autocomplete')).toBe('current-password');
    expect(await page.locator('form input[autocomplete=username]').count()).toBe(1);
    // A manager offers to keep the values of a form that goes away.
    await page.evaluate(`
      new MutationObserver((changes) => {
        for (const { removedNodes } of changes) for (const node of removedNodes) {
          const name = node.querySelector?.('input[autocomplete=username]')?.value;
          if (name) globalThis.offered = name;
        }
      }).observe(document.body, { childList: true, subtree: true })`);
    await key.fill(keyOf('anna'));
    await page.keyboard.press('Enter');
    await window.heading(/^Claim clm_/).waitFor();
    expect(await page.evaluate('globalThis.offered')).toBe('anna');
  });
});
