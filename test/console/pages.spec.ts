/** Each page's main job through its real controls, on a real service with simulated claims. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { claimOf } from '../../apps/server/test/fixture.js';
import { browserIsHere } from '../browser.js';
import { until } from '../until.js';
import { ConsoleWindow, launch, type Operator, PLANTED, type Seeded, SIZES, seed } from './fixture.js';

let seeded: Seeded;
let browser: Browser;
beforeAll(async () => {
  if (browserIsHere) [seeded, browser] = await Promise.all([seed(), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await seeded?.stop();
});

/** An answer to an operator. */
const read = async (path: string) =>
  (await seeded.service.call('GET', path, { headers: seeded.service.operator })).body;

(browserIsHere ? describe : describe.skip)('the console in chromium:', () => {
  let window: ConsoleWindow;
  let page: Page;
  const open = async (who: Operator, path = '/', options = {}) => {
    window = await ConsoleWindow.open(browser, seeded.service.address, options);
    page = window.page;
    await window.signIn(who, { path });
  };
  afterEach(async () => {
    // Nothing that a client wrote has run, and no policy was broken.
    expect(window.complaints).toEqual([]);
    await window.close();
  });

  const claimsSaid = async (text: string) => page.getByText(text, { exact: true }).waitFor();

  it('Today leads from each figure to what is behind it', async () => {
    await open('olga');
    await page.getByText('Claims to review').waitFor();
    await page.getByRole('link', { name: 'Claims to review' }).click();
    await window.heading('Review').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /^No match/ }).click();
    await window.heading('Claims').waitFor();
    expect(new URL(page.url()).searchParams.get('verdict')).toBe('NO_MATCH');
    const body = await read('/api/v1/overview');
    await claimsSaid(`${body.claims.verdicts.NO_MATCH} claims`);
  });

  it('Today adds up', async () => {
    await open('olga');
    const body = await read('/api/v1/overview');
    const tile = async (name: string) => {
      const said = await page.getByRole('link', { name: new RegExp(`^${name}\\s*\\d`) }).innerText();
      return Number(said.split('\n').at(-1));
    };
    const [calls, match, noMatch, again, refused] = await Promise.all(
      ['Calls', 'Match', 'No match', 'Answered again', 'Refused'].map(tile),
    );
    expect([calls, match, noMatch]).toEqual([
      body.claims.calls,
      body.claims.verdicts.MATCH,
      body.claims.verdicts.NO_MATCH,
    ]);
    expect(match + noMatch + again + refused).toBe(calls);
    // One model is installed, and none shadows it.
    expect(await page.getByText('Shadow model').count()).toBe(0);
  });

  it('Claims filters by what the address says, sorts, and leads to a claim', async () => {
    await open('anna', '/claims?verdict=MATCH&population=antwerp');
    await claimsSaid('39 claims');
    await page.getByRole('textbox', { name: 'Population' }).fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No claim fits these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await claimsSaid(`${seeded.claims.length} claims`);
    await page.getByRole('combobox', { name: 'order' }).selectOption('nearest to the threshold');
    await page.waitForURL(/sort=distance/);
    await page.reload();
    await claimsSaid(`${seeded.claims.length} claims`);
    expect(await page.getByRole('combobox', { name: 'order' }).inputValue()).toBe('distance');
    await page.keyboard.press('/');
    await page.keyboard.type(seeded.claims[0]);
    await page.keyboard.press('Enter');
    await window.heading(/^Claim clm_/).waitFor();
    await page.getByText(seeded.claims[0], { exact: true }).waitFor();
    for (const [sought, claims] of [
      [seeded.claims[0].slice(0, 14).toUpperCase(), /^1 claim$/],
      ['cal5n6', /^\d claims$/],
    ] as const) {
      await page.keyboard.press('/');
      await page.keyboard.press('Control+a');
      await page.keyboard.type(sought);
      await page.keyboard.press('Enter');
      await page.waitForURL(/search=/);
      await page.getByText(claims).waitFor();
    }
  });

  it('Claims is sorted by its heads, walked by arrows, and as it was when one comes back', async () => {
    await open('olga', '/claims?population=antwerp');
    const rows = page.locator('tr[data-row]');
    await rows.first().waitFor();
    await page.getByRole('columnheader', { name: 'p(match)' }).getByRole('button').click();
    await page.waitForURL(/sort=p_match_5050/);
    await page
      .getByRole('columnheader', { name: 'p(match)', exact: false })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await window.settle();
    const shown = (await page.locator('tr[data-row] td:nth-child(3)').allInnerTexts()).map(Number);
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
    // To below what the window shows at first.
    const list = page.getByRole('region', { name: 'claims', exact: true });
    await page.keyboard.press('l');
    for (let i = 0; i < 25; i++) await page.keyboard.press('ArrowDown');
    const top = await list.evaluate((of) => of.scrollTop);
    expect(top).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    await window.heading(/^Claim clm_/).waitFor();
    await page.goBack();
    await until(async () => (await list.evaluate((of) => of.scrollTop)) === top);
    expect(page.url()).toContain('population=antwerp&sort=p_match_5050');
    // The way up leads to the same filters.
    await page.locator('a[data-row-link]').first().click();
    await page.getByRole('link', { name: '← Claims' }).click();
    await window.heading('Claims').waitFor();
    expect(page.url()).toContain('population=antwerp&sort=p_match_5050');
  });

  it('Claims never draws an older answer over a newer one', async () => {
    await open('olga', '/claims');
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(/population=nobody/, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    const population = page.getByRole('textbox', { name: 'Population' });
    await population.fill('nobody');
    await page.keyboard.press('Enter');
    await page.waitForURL(/population=nobody/);
    await population.fill('antwerp');
    await page.keyboard.press('Enter');
    const { total } = await read('/api/v1/claims/rows?population=antwerp&total=true');
    await claimsSaid(`${total} claims`);
    letGo();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
    await claimsSaid(`${total} claims`);
  });

  it('Claims shows what arrives while it is live', async () => {
    await open('olga', '/claims?live=true&reference=CAL5N70');
    await page.getByText('No claim fits these filters.').waitFor();
    // The stream begins with what is stored from then on.
    await until(async () => {
      const { body } = await seeded.service.verify({ ...claimOf(70), reject_target: 0.97 });
      if (!seeded.claims.includes(body.claim_id)) seeded.claims.push(body.claim_id);
      await seeded.service
        .verify({ ...claimOf(71 + seeded.claims.length), reject_target: 0.97 })
        .then(({ body }) => seeded.claims.push(body.claim_id));
      return page.getByText('1 claim', { exact: true }).isVisible();
    });
  });

  it('a claim has its answer, its scores, its scans, its history and its neighbours; names are text', async () => {
    const planted = seeded.claims[51];
    await open('olga', `/claims/${planted}`);
    await page
      .getByRole('img', { name: /^Scores of antwerp|^Scores of a laboratory/ })
      .or(page.getByText('Not drawn'))
      .first()
      .waitFor();
    await page.getByText(PLANTED.slice(0, 60)).first().waitFor();
    // Local time, UTC on hover; a figure's name says what it means.
    const submitted = page.locator('dd time').first();
    const at = new Date((await submitted.getAttribute('datetime')) ?? '').toISOString();
    expect(await submitted.getAttribute('title')).toBe(`${at.slice(0, 19).replace('T', ' ')} UTC`);
    await page.getByText('expected acceptance').hover();
    await page.getByRole('tooltip').getByText('Estimated share of genuine claims').waitFor();
    await page.getByText('submitted', { exact: true }).last().click();
    await page.getByText('"ClaimSubmitted"').waitFor();
    await window.go(`/claims/${seeded.claims[50]}`);
    await page.getByRole('img', { name: /^Scores of antwerp/ }).waitFor();
    await page.getByRole('region', { name: 'other claims on CAL5N60' }).getByRole('link').first().waitFor();
    await page.getByRole('region', { name: 'rows of findings on CAL5N60' }).getByRole('link').first().click();
    await window.heading('Finding: probing').waitFor();
  });

  it('Review notes an outcome and goes on with the next; the keys j and k walk', async () => {
    await open('olga', '/review');
    const chosen = page.locator('tr[data-chosen]');
    await chosen.waitFor();
    const first = await chosen.innerText();
    await page.keyboard.press('j');
    await until(async () => (await chosen.innerText()) !== first);
    await page.keyboard.press('k');
    await until(async () => (await chosen.innerText()) === first);
    const waiting = Number.parseInt(await page.getByText(/claims wait$/).innerText(), 10);
    await page.getByRole('radio', { name: 'wrong' }).check();
    await page.getByRole('textbox', { name: 'Note' }).fill(PLANTED);
    await page.getByRole('button', { name: 'Note it' }).dblclick();
    await claimsSaid(`${waiting - 1} claims wait`);
    const reviewed = (await read('/api/v1/claims?reviewed=true')).items;
    expect(reviewed).toHaveLength(1);
    expect(reviewed[0].review).toMatchObject({ outcome: 'wrong', note: PLANTED, operator: 'olga' });
    // Sent once, however often it was pressed.
    const { history } = await read(`/api/v1/claims/${reviewed[0].claim_id}`);
    expect(history.filter(({ type }: { type: string }) => type === 'ClaimReviewed')).toHaveLength(1);
    await window.go(`/claims/${reviewed[0].claim_id}`);
    await page.getByText(PLANTED).first().waitFor();
  });

  it('Findings shows the panel as a matrix, and takes a review', async () => {
    await open('olga', '/findings?status=open');
    await page.getByText('2 findings').waitFor();
    await page.getByRole('region', { name: 'findings' }).getByRole('link').first().click();
    await page.getByRole('columnheader', { name: 'Polish CAL5N60' }).waitFor();
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(
      expect.arrayContaining(['CAL5N4', 'CAL5N5', 'CAL5N6']),
    );
    await page.getByRole('textbox', { name: 'Note' }).fill('one parcel, mixed up');
    await page.getByRole('button', { name: 'Note it' }).click();
    await page.getByText('one parcel, mixed up').waitFor();
    await page.getByText('reviewed', { exact: true }).waitFor();
  });

  it('Telemetry, Drift and Hygiene say what was refused, what has changed and what to do', async () => {
    await open('anna', '/telemetry?reason=flat');
    await page.getByRole('cell', { name: 'flat scans' }).waitFor();
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByRole('img', { name: /^[1-9]\d* calls from .*, by how they ended$/ }).waitFor();
    await window.go('/drift?population=antwerp');
    await page.getByText('the shipped asset').waitFor();
    await window.go('/hygiene');
    await page.getByText('What to do:').first().waitFor();
  });

  it('Keys creates a key that works, shows it once, and revokes it with its name typed', async () => {
    await open('olga');
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('a new machine');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await page.getByTestId('key').innerText();
    const { status } = await seeded.service.verify(claimOf(1), { 'x-api-key': key });
    expect(status).toBe(200);
    await page.keyboard.press('Escape');
    await page.goBack();
    await window.heading('Keys').waitFor();
    expect(await page.getByTestId('key').innerText()).toBe(key);
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.getByLabel('I have stored the key').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByTestId('key').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);
    const row = page.getByRole('row', { name: /a new machine/ });
    await row.getByRole('link').first().click();
    await page.getByRole('img', { name: /^1 calls from/ }).waitFor();
    await page.getByRole('link', { name: '← Keys' }).click();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('textbox', { name: 'Name of the key' }).fill('another machine');
    expect(await page.getByRole('button', { name: 'Revoke for good' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Name of the key' }).fill('a new machine');
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    await row.getByText('revoked').waitFor();
    expect((await seeded.service.verify(claimOf(1), { 'x-api-key': key })).status).toBe(401);
  });

  it('System shows parts, models and views, and opens a stream of the log', async () => {
    await open('anna', '/system');
    await page.getByText(/projection/).waitFor();
    await page.getByRole('rowheader', { name: /^ledger/ }).waitFor();
    await page.getByRole('link', { name: 'Streams of the log' }).click();
    const { items } = await read('/api/v1/claims?reviewed=true');
    await page.getByRole('textbox', { name: 'Stream' }).fill(`review-${items[0].claim_id}`);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('reviewed', { exact: true }).first().click();
    await page.getByText('"ClaimReviewed"').waitFor();
  });

  it('System passes over the event at which views stand still, for a reason that is kept', async () => {
    const event = { id: randomUUID(), type: 'LabelWithdrawn', version: 1, data: {} };
    const { position } = await seeded.service.service.log.append('edge', [event], 'any');
    const state = async () => (await seeded.service.call('GET', '/health/ready')).body.status;
    await until(async () => (await state()) === 'degraded');
    await open('anna', '/system');
    await page.getByText(`position ${position} (LabelWithdrawn in stream edge)`).first().waitFor();
    expect(await page.getByRole('button', { name: 'Pass over the event' }).count()).toBe(0);
    await window.close();
    await open('olga', '/system');
    await page.getByRole('button', { name: 'Pass over the event' }).first().click();
    const dialogue = page.getByRole('dialog', { name: 'Pass over an event' });
    const send = dialogue.getByRole('button', { name: `Pass over position ${position}` });
    expect(await send.isDisabled()).toBe(true);
    await dialogue.getByRole('textbox', { name: 'Reason' }).fill(PLANTED);
    await send.dblclick();
    await dialogue.waitFor({ state: 'hidden' });
    await until(async () => (await state()) === 'ok');
    await page.reload();
    await page.getByRole('rowheader', { name: /^ledger/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Pass over the event' }).count()).toBe(0);
    await page.getByRole('link', { name: 'events passed over' }).click();
    await page.getByText(PLANTED).waitFor();
    await page.getByText('1 event', { exact: true }).waitFor();
    // Listings were refused while the views stood still, and that is all.
    expect(window.complaints.splice(0).filter((said) => !said.includes('status of 503'))).toEqual([]);
  });

  it('a key that only reads sees every page and no button that changes anything', async () => {
    await open('anna', '/review');
    await page.locator('tr[data-chosen]').waitFor();
    for (const path of ['/review', '/review?of=findings', `/claims/${seeded.claims[50]}`, '/keys', '/system']) {
      await window.go(path);
      await window.heading(/./).waitFor();
      await window.settle();
      for (const name of ['Note it', 'Create a key', 'Revoke', 'Pass over the event'])
        expect([path, await page.getByRole('button', { name, exact: true }).count()]).toEqual([path, 0]);
    }
  });
});

const PAGES = [
  '/',
  '/claims',
  '/claims/:claim',
  '/review',
  '/review?of=findings',
  '/findings',
  '/findings/:finding',
  '/telemetry',
  '/drift',
  '/hygiene',
  '/keys',
  '/keys/:key',
  '/system',
  '/system/log',
  '/nothing',
];

(browserIsHere ? describe : describe.skip)('in chromium on a phone that becomes a screen,', () => {
  let window: ConsoleWindow;
  let finding: string;
  beforeAll(async () => {
    const body = await read('/api/v1/findings');
    finding = body.items[0].id;
    window = await ConsoleWindow.open(browser, seeded.service.address, { scheme: 'dark', ...SIZES.phone });
    await window.signIn();
  });
  afterEach(async () => {
    await window.page.setViewportSize(SIZES.phone);
    await window.recolour('dark');
  });
  afterAll(() => window.close());

  const isSound = async (name: string) => {
    await window.expectSound(name, 'dark');
    expect(window.complaints.filter((said) => !said.includes('404'))).toEqual([]);
  };

  it.each(PAGES)('%s opens by its address and axe-core finds nothing', async (path) => {
    await window.go(
      path
        .replace(':claim', seeded.claims[50])
        .replace(':finding', finding)
        .replace(':key', seeded.service.apiKey.slice(0, 25)),
    );
    await window.heading(/./).waitFor();
    await window.settle();
    await isSound(path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'today');
  });

  it('dialogues and the page of the key too', async () => {
    const { page } = window;
    await window.go('/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').waitFor();
    await isSound('dialogue-key');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Revoke' }).first().click();
    await page.getByRole('dialog').waitFor();
    await isSound('dialogue-revoke');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await isSound('dialogue-keys');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').waitFor();
    await isSound('sign-in');
  });
});
