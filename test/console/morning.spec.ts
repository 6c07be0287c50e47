/** A morning of an operator: once without a mouse, and once with its clicks counted. */
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { browserIsHere } from '../browser.js';
import { until } from '../until.js';
import { ConsoleWindow, keyOf, launch, type Seeded, seed } from './fixture.js';

const MAX_CLICKS = 25;
/** More stops of the keyboard than any page has before what is sought. */
const MOST_STOPS = 120;
/** True if the focused control looks otherwise without the focus: itself, its neighbour, or its frame. */
const SHOWS = `(() => {
  const one = document.activeElement;
  const near = [one, one.nextElementSibling, one.parentElement, one.closest('label')].filter(Boolean);
  const looks = () => near.map((of) => {
    const { outline, borderColor, boxShadow, backgroundColor } = getComputedStyle(of);
    return [outline, borderColor, boxShadow, backgroundColor];
  }).join();
  const settled = () => {
    looks();
    for (const change of document.getAnimations()) try { change.finish(); } catch {}
    return looks();
  };
  const focused = settled();
  one.blur();
  const left = settled();
  one.focus();
  return focused !== left;
})()`;
/** The eighteen requests of a morning, in this order. */
const MORNING = [
  'GET /health/ready',
  'GET /api/v1/overview',
  'GET /health/detail',
  'GET /api/v1/model',
  'GET /api/telemetry/summary',
  'GET /api/telemetry/events',
  'GET /api/v1/hygiene',
  'GET /api/v1/drift',
  'GET /api/v1/claims/rows',
  'GET /api/v1/claims/:id',
  'POST /api/v1/claims/:id/review',
  'GET /api/v1/findings',
  'GET /api/v1/findings/:id',
  'POST /api/v1/findings/:id/review',
  'GET /api/v1/calibration',
  'POST /api/v1/calibration/antwerp/rungs/:rung/dry-run',
  'POST /api/v1/calibration/antwerp/rungs/:rung/approve',
  'GET /api/v1/calibration/antwerp/audit.zip',
];
const asAsked = (request: Request) =>
  `${request.method()} ${new URL(request.url()).pathname
    .replace(/clm_[0-9a-f]+/, ':id')
    .replace(/(findings)\/[^/]+/, '$1/:id')
    .replace(/(rungs)\/[^/]+/, '$1/:rung')}`;

(browserIsHere ? describe : describe.skip)('a morning in the console (chromium)', () => {
  let seeded: Seeded;
  let browser: Browser;
  let window: ConsoleWindow;
  let page: Page;
  const open = async () => {
    window = await ConsoleWindow.open(browser, seeded.service.address);
    page = window.page;
  };
  beforeAll(async () => {
    [seeded, browser] = await Promise.all([seed(45, { MVS_FOUR_EYES: 'yes' }), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await seeded.stop();
  });

  const press = (...keys: string[]) =>
    keys.reduce((last, key) => last.then(() => page.keyboard.press(key)), Promise.resolve());
  const note = () => page.getByRole('textbox', { name: 'Note' });
  const type = (text: string) => page.keyboard.type(text);
  const isFocused = (sought: Locator): Promise<boolean> =>
    sought.evaluate((element) => element === element.ownerDocument.activeElement);

  /** Goes on with Tab until the control has the focus, and holds that it shows. */
  async function tabTo(sought: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await sought.waitFor({ state: 'attached' });
    for (let stops = 0; !(await isFocused(sought)); stops++) {
      if (stops > MOST_STOPS) throw new Error(`the keyboard does not reach ${sought}`);
      await press(key);
    }
    expect([String(sought), await page.evaluate(SHOWS)]).toEqual([String(sought), true]);
  }

  /** To a page by its name in the menu, which lies before what one has just used. */
  async function menu(name: string): Promise<void> {
    const link = page.getByRole('navigation', { name: 'pages' }).getByRole('link', { name, exact: true });
    await tabTo(link, 'Shift+Tab');
    await press('Enter');
    await window.heading(name).waitFor();
  }

  it('goes through once by the keyboard alone', async () => {
    await open();
    await window.go('/');
    await page.getByLabel('Operator key').waitFor();
    expect(await isFocused(page.getByLabel('Operator key'))).toBe(true);
    await type(keyOf('olga'));
    await press('Enter');
    await window.heading('Today').waitFor();

    // The help about keys gives the focus back.
    await tabTo(page.getByRole('button', { name: 'keys', exact: true }));
    await press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await until(() => isFocused(page.getByRole('button', { name: 'keys', exact: true })));

    // A claim by its search, and one by the list.
    await press('/');
    await type(seeded.claims[3]);
    await press('Enter');
    await page.getByText(seeded.claims[3], { exact: true }).waitFor();
    await menu('Claims');
    await tabTo(page.locator('a[data-row-link]').first());
    await press('Enter');
    await window.heading(/^Claim clm_/).waitFor();
    await note().waitFor();
    await press('w', 'n');
    expect(await isFocused(note())).toBe(true);
    await type('another stone by its label');
    await press('Control+Enter');
    await page.getByRole('region', { name: 'Review' }).getByText('another stone by its label').waitFor();

    // The queue: the next claim, an outcome by its letter, and on to the one after it.
    await menu('Review');
    const chosen = page.locator('tr[data-chosen]');
    await chosen.waitFor();
    const waiting = Number.parseInt(await page.getByText(/claims wait$/).innerText(), 10);
    const first = await chosen.innerText();
    await press('j');
    await until(async () => (await chosen.innerText()) !== first);
    await press('k');
    await until(async () => (await chosen.innerText()) === first);
    await note().waitFor();
    await press('i', 'n');
    expect(await isFocused(note())).toBe(true);
    await type('to be measured again');
    await press('Control+Enter');
    await page.getByText(`${waiting - 1} claims wait`, { exact: true }).waitFor();

    // A key: shown once, and the focus is back on what asked for it. The other dialogue gives it back too.
    await menu('Keys');
    const create = page.getByRole('button', { name: 'Create a key' });
    await tabTo(create);
    await press('Enter');
    await page.getByRole('dialog', { name: 'Create a key' }).waitFor();
    await until(() => isFocused(page.getByRole('textbox', { name: 'Name' })));
    await type('made by keys');
    await press('Enter');
    await page.getByTestId('key').waitFor();
    await until(() => isFocused(page.getByRole('button', { name: 'Copy' })));
    await tabTo(page.getByLabel('I have stored the key'));
    await press('Space');
    await tabTo(page.getByRole('button', { name: 'Done' }));
    await press('Enter');
    await until(() => isFocused(create));
    const revoke = page.getByRole('row', { name: /made by keys/ }).getByRole('button', { name: 'Revoke' });
    await tabTo(revoke);
    await press('Enter');
    await page.getByRole('dialog', { name: 'Revoke a key' }).waitFor();
    await press('Escape');
    await until(() => isFocused(revoke));

    // A threshold: tried, and asked for.
    await menu('Calibration');
    await tabTo(page.getByRole('link', { name: 'antwerp' }));
    await press('Enter');
    await page.getByRole('heading', { name: 'Rung 0.99' }).waitFor();
    await tabTo(page.getByRole('button', { name: 'Dry run', exact: true }));
    await press('Enter');
    await page.getByText(/Of \d+ past claims/).waitFor();
    await tabTo(page.getByLabel('Reason to approve', { exact: true }));
    await type('45 claims look well');
    await tabTo(page.getByRole('button', { name: 'Approve', exact: true }));
    await press('Enter');
    await page.getByText('Waits for a second operator').first().waitFor();
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  it(`asks the eighteen requests of a morning with ${MAX_CLICKS} clicks at most`, async () => {
    await open();
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(asAsked(request)));
    let clicks = 0;
    const click = async (sought: Locator) => {
      clicks++;
      await sought.click();
    };
    const enter = async (sought: Locator, text: string) => {
      await click(sought);
      await type(text);
    };
    const link = (name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    await window.go('/');
    await page.getByLabel('Operator key').waitFor();
    await type(keyOf('otto'));
    await click(button('Sign in'));
    await page.getByText('Waits for you').waitFor();
    await click(link('flat scans'));
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByText('Over time').waitFor();
    await click(link('System'));
    await page.getByRole('rowheader', { name: /^ledger/ }).waitFor();
    await click(link('Hygiene'));
    await page.getByText('What to do:').first().waitFor();
    await click(link('Drift'));
    await page.getByText('the shipped asset').first().waitFor();

    await click(link('Review'));
    await page.locator('tr[data-chosen]').waitFor();
    const waiting = Number.parseInt(await page.getByText(/claims wait$/).innerText(), 10);
    await click(page.getByRole('radio', { name: 'confirmed' }));
    await enter(note(), 'looked at');
    await click(button('Note it'));
    await page.getByText(`${waiting - 1} claims wait`, { exact: true }).waitFor();
    await click(page.getByText('Findings', { exact: true }).last());
    await page.getByText('2 findings wait').waitFor();
    await click(page.getByRole('radio', { name: 'client asked' }));
    await enter(note(), 'asked the laboratory');
    await click(button('Note it'));
    await page.getByText('1 finding waits').waitFor();

    await click(link('Calibration'));
    await click(link('antwerp'));
    await page.getByText('olga asked for it').waitFor();
    await click(button('Dry run'));
    await page.getByText(/Of \d+ past claims/).waitFor();
    await enter(page.getByLabel('Reason to approve', { exact: true }), 'so they do');
    await click(button('Approve'));
    await page.getByText('otto, as olga had asked').waitFor();
    await click(button('Verify'));
    await page.getByText('antwerp: 1 approval recomputed, all sound').waitFor();

    expect([...asked]).toEqual(expect.arrayContaining(MORNING));
    expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
    expect(window.complaints).toEqual([]);
    await window.close();
  });
});
