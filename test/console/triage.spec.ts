/** Queues that several operators work through together, and lots with a workspace chosen. */
import type { Browser, Page } from 'playwright-core';
import { claimOf } from '../../apps/server/test/fixture.js';
import { holdLot } from '../../apps/server/test/held-lots.js';
import { type LotFile, plainLot, Trader } from '../../apps/server/test/lots.js';
import { madeLot } from '../../libs/science/lots/test/made-lots.js';
import { browserIsHere } from '../browser.js';
import { until } from '../until.js';
import { ConsoleWindow, keyOf, launch, type Seeded, SIZES, seed } from './fixture.js';

(browserIsHere ? describe : describe.skip)('the console (chromium)', () => {
  let seeded: Seeded;
  let browser: Browser;
  let window: ConsoleWindow;
  let page: Page;
  beforeAll(async () => {
    [seeded, browser] = await Promise.all([seed(20), launch()]);
  });
  afterEach(() => window.close());
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });
  const open = async (path: string, options = {}) => {
    window = await ConsoleWindow.open(browser, seeded.service.address, options);
    page = window.page;
    await window.signIn('olga', { path });
  };
  const ask = (method: string, path: string, value?: unknown, as: Record<string, string> = seeded.service.operator) =>
    seeded.service.json(method, path, value, as);
  const note = () => page.getByRole('textbox', { name: 'Note' });

  it('keeps a note over Next and Before, and says when somebody else was quicker', async () => {
    await open('/review');
    const chosen = page.locator('tr[data-chosen]');
    await chosen.waitFor();
    await note().fill('to be asked');
    await page.getByRole('radio', { name: 'inconclusive' }).check();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Next' }).click();
    await until(async () => (await note().inputValue()) === '');
    await page.getByRole('button', { name: 'Before' }).click();
    await until(async () => (await note().inputValue()) === 'to be asked');
    expect(await page.getByRole('radio', { name: 'inconclusive' }).isChecked()).toBe(true);
    const id = /clm_[0-9a-f]{32}/.exec(page.url())![0];
    await ask('POST', `/api/v1/claims/${id}/review`, { note: 'seen by another', outcome: 'wrong' });
    // The list is asked for again by itself, and what is looked at stays.
    await page.getByText('It no longer waits').waitFor();
    await page.getByText('seen by another').waitFor();
    expect(await note().inputValue()).toBe('to be asked');
  });

  it('stays at the first claim, which the address does not name, when somebody else notes it', async () => {
    await open('/review');
    await page.locator('tr[data-chosen]').waitFor();
    await note().fill('half a sentence');
    const first = (await page.locator('a[data-row-link]').first().getAttribute('href'))!;
    const id = /clm_[0-9a-f]{32}/.exec(first)![0];
    await ask('POST', `/api/v1/claims/${id}/review`, { note: 'seen by another' });
    await page.getByText('It no longer waits').waitFor();
    expect(await note().inputValue()).toBe('half a sentence');
  });

  it('takes a note back within the minute, with its text, unless somebody else has noted something since', async () => {
    await open('/review');
    const waits = async () => Number.parseInt(await page.getByText(/claims wait$/).innerText(), 10);
    const before = await waits();
    const first = (await page.locator('a[data-row-link]').first().getAttribute('href'))!;
    const id = /clm_[0-9a-f]{32}/.exec(first)![0];
    await note().fill('measured again');
    await page.getByRole('radio', { name: 'wrong' }).check();
    await page.getByRole('button', { name: 'Note it' }).click();
    await page.getByText('Noted on 1 claim.').waitFor();
    await until(async () => (await waits()) === before - 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await waits()) === before);
    await page.getByText('Noted on 1 claim.').waitFor({ state: 'hidden' });
    await page.locator(`a[data-row-link][href$="${id}"]`).click();
    await until(async () => (await note().inputValue()) === 'measured again');
    expect(await page.getByRole('radio', { name: 'wrong' }).isChecked()).toBe(true);
    expect(await window.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Note it' }).click();
    await page.getByText('Noted on 1 claim.').waitFor();
    await ask('POST', `/api/v1/claims/${id}/review`, { note: 'mine' }, { 'x-svc-admin': keyOf('otto') });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('otto has noted something since').waitFor();
    expect((await ask('GET', `/api/v1/claims/${id}`)).body.review).toMatchObject({ note: 'mine', operator: 'otto' });
  });

  it('says who else looks at a finding, and keeps what came of it', async () => {
    await open('/review?of=findings');
    const other = await ConsoleWindow.open(browser, seeded.service.address);
    try {
      await other.signIn('otto', { path: '/review?of=findings' });
      await page.getByText('otto looks at it too.').waitFor();
      await other.page.getByText('olga looks at it too.').waitFor();
    } finally {
      await other.close();
    }
    await page.getByText('What came of it?').waitFor();
    const [{ id }] = (await ask('GET', '/api/v1/findings?status=open')).body.items;
    await page.getByRole('radio', { name: 'client asked' }).check();
    await note().fill('asked by telephone');
    await page.getByRole('button', { name: 'Note it' }).click();
    await page.getByText('Noted on 1 finding.').waitFor();
    expect((await ask('GET', `/api/v1/findings/${id}`)).body).toMatchObject({
      status: 'reviewed',
      review: { outcome: 'client_asked', note: 'asked by telephone' },
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Noted on 1 finding.').waitFor({ state: 'hidden' });
    expect((await ask('GET', `/api/v1/findings/${id}`)).body.status).toBe('open');
  });

  it('notes findings that say the same together, and marked ones at once', async () => {
    // One panel under the keys of two populations: findings of two that say the same.
    for (const population of ['bruges', 'ghent']) {
      const key = { 'x-api-key': await seeded.service.createKey(population, { population }) };
      for (const rough of [14, 15, 16]) await seeded.service.verify(claimOf(rough, { polishOf: 80 }), key);
    }
    const openOnes = async () =>
      (await ask('GET', '/api/v1/findings?status=open')).body.items as {
        id: string;
        population: string;
        roughs: number;
      }[];
    await until(async () => {
      const [one, other] = ['bruges', 'ghent'].map(async (of) =>
        (await openOnes()).find(({ population }) => population === of),
      );
      return (await one) !== undefined && (await one)?.roughs === (await other)?.roughs;
    });
    const before = (await openOnes()).length;
    await open('/review?of=findings');
    await page.getByText('×2').first().waitFor();
    await page.getByRole('row', { name: /×2/ }).first().getByRole('link').click();
    await page.getByText('one for all 2 findings that say the same').waitFor();
    await page
      .getByText('The client named the polish alike')
      .or(page.getByText('The very same scans'))
      .first()
      .waitFor();
    await note().fill('one parcel');
    await page.getByRole('button', { name: 'Note it' }).click();
    await until(async () => (await openOnes()).length === before - 2);
    // Noted ones leave the list once that is asked for again.
    await page.getByText(new RegExp(`^${before - 2} findings? waits?$`)).waitFor();
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await page.getByRole('heading', { name: new RegExp(`^Note ${before - 2} marked`) }).waitFor();
    await note().fill('all of them');
    await page.getByRole('button', { name: 'Note it' }).click();
    await page.getByText('No finding is open.').waitFor();
    expect(await openOnes()).toEqual([]);
  });

  it('shows lots of a chosen workspace, their checks and trays, and retires one', async () => {
    const lot = await plainLot();
    const name = 'trader';
    const trader = await Trader.in(seeded.service, name);
    const enrolled = await trader.enrol(lot.enrol, { name: 'spring', session_type: 'shaken' });
    const checked = await trader.check(enrolled.body.lot_id, [...lot.back], { session_type: 'shaken' });
    await open('/lots', SIZES.phone);
    await page.getByLabel('Token of the workspace').fill(`mvs_lots_${'0'.repeat(16)}.nothing`);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('No active workspace has this token.').waitFor();
    // The operator is still in.
    await page.getByLabel('Token of the workspace').fill(trader.token);
    await window.expectSound('lots-choice', 'light');
    await page.setViewportSize(SIZES.phone);
    await window.recolour('light');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText(`Workspace ${name}`).waitFor();
    await page.getByRole('link', { name: 'spring' }).click();
    await page.getByRole('img', { name: checked.body.verdict.slice(0, 20) }).waitFor();
    await page.getByRole('region', { name: 'Tray' }).getByText(checked.body.verdict, { exact: true }).waitFor();
    await window.settle();
    await window.expectSound('lot', 'light');
    const report = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the report' }).click();
    expect((await report).suggestedFilename()).toBe(`${checked.body.check_id}.html`);
    await page.getByRole('button', { name: 'Retire' }).click();
    await page.getByLabel('Name of the lot').fill('spring');
    await page.getByRole('button', { name: 'Retire for good' }).click();
    await page.getByText('retired', { exact: true }).first().waitFor();
    expect((await trader.get(`/lots/${enrolled.body.lot_id}`)).body.status).toBe('retired');
    // The token goes with the operator.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').waitFor();
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(
      trader.token,
    );
  });

  it.each([1280, 390])(
    'opens lots alone to the holder of a token, who enrols, checks and rehearses (%d pixels)',
    async (width) => {
      const { enrol, back } = await plainLot();
      await open('/lots', { width });
      await page.getByRole('button', { name: 'Create a workspace' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(`own page ${width}`);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const token = await page.getByTestId('token').innerText();
      expect(await window.accessibility()).toEqual([]);
      await page.getByLabel('I have stored the token').check();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      const asked = new Set<string>();
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (/^[/](api|health)/.test(pathname)) asked.add(pathname.split('/').slice(0, 3).join('/'));
      });
      await window.go('/claims');
      await page.getByLabel('Operator key').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await window.heading('Lots').waitFor();
      expect(new URL(page.url()).pathname).toBe('/console/lots');
      const take = (files: LotFile[]) =>
        page
          .locator('input[type=file]')
          .first()
          .setInputFiles(files.map(({ name, data }) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(data) })));
      await page.getByLabel('Name of the lot').fill('autumn');
      await take(enrol);
      await page.getByRole('button', { name: 'Enrol', exact: true }).click();
      await page.getByRole('link', { name: 'autumn' }).click();
      await window.heading('autumn').waitFor();
      await take([...back]);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByRole('region', { name: 'Tray' }).getByRole('img').waitFor();
      await page.getByRole('button', { name: 'Rehearse' }).click();
      await page.getByText('one foreign stone alone confirmed').waitFor();
      await window.settle();
      for (const scheme of ['dark', 'light'] as const) {
        await window.recolour(scheme);
        await window.picture(`trader-${scheme}-${width}`);
        expect([scheme, await window.accessibility()]).toEqual([scheme, []]);
      }
      expect(await window.unstyled()).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect([...asked]).toEqual(['/api/lotscan']);
      expect(window.complaints).toEqual([]);
    },
  );

  it('shows what a lot scorer of the workspace’s own would bring, approves it and withdraws it', async () => {
    const trader = await Trader.in(seeded.service, 'unlike');
    const id = trader.token.slice('mvs_lots_'.length).slice(0, 16);
    for (let parcel = 0; parcel < 10; parcel++)
      await holdLot(
        seeded.service.service.store,
        { id, name: 'unlike' },
        madeLot(parcel, { stones: 10, exchanged: 2 }),
      );
    await open('/lots', { width: 1280 });
    await page.getByLabel('Token of the workspace').fill(trader.token);
    await page.getByRole('button', { name: 'Open' }).click();
    const scorer = page.getByRole('region', { name: 'Scorer' });
    await scorer.getByText('10 of 10 lots are marked as unusual').waitFor();
    await scorer.getByText('Substitutes caught').waitFor();
    expect(await window.accessibility()).toEqual([]);
    await window.picture('lot-scorer');
    await scorer.getByLabel('Reason to approve the lot scorer').fill('it catches more');
    await scorer.getByRole('button', { name: 'Approve the lot scorer' }).click();
    await scorer.getByText('in force', { exact: true }).waitFor();
    const audit = page.getByRole('region', { name: 'Audit' });
    await audit.getByRole('button', { name: 'Verify', exact: true }).click();
    await audit.getByText('Lot scorer approved, fitted on 10 lots').waitFor();
    await scorer.getByLabel('Reason to withdraw the lot scorer').fill('another supplier');
    await scorer.getByRole('button', { name: 'Withdraw the lot scorer' }).click();
    await scorer.getByText('The shipped scorer decides.').waitFor();
  });
});
