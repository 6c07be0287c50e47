/** A threshold through the console: tried, approved by two operators, verified from its bundle, withdrawn. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { browserIsHere } from '../browser.js';
import { ConsoleWindow, launch, type Operator, type Seeded, SIZES, seed } from './fixture.js';

const PAGE = '/calibration/antwerp?rung=0.99';

(browserIsHere ? describe : describe.skip)('calibration in the console (chromium)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mvs-console-bundle-'));
  let seeded: Seeded;
  let browser: Browser;
  const windows: ConsoleWindow[] = [];
  const opened = async (who: Operator, path: string, options = {}) => {
    const window = await ConsoleWindow.open(browser, seeded.service.address, options);
    windows.push(window);
    await window.signIn(who, { path });
    return window;
  };
  const receiptOf = async (claim: string): Promise<string> => {
    const headers = { 'x-api-key': seeded.service.apiKey };
    return (await seeded.service.call('GET', `/api/v1/verify-match/${claim}`, { headers })).body.answer.receipt;
  };
  beforeAll(async () => {
    [seeded, browser] = await Promise.all([seed(45, { MVS_FOUR_EYES: 'yes' }), launch()]);
  });
  afterEach(async () => {
    const complaints = windows.flatMap((window) => window.complaints);
    for (const window of windows.splice(0)) await window.close();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await seeded.stop();
    rmSync(folder, { recursive: true });
  });

  it('lists populations with what is ready, and leads to one', async () => {
    const { page } = await opened('olga', '/calibration');
    await page.getByText('ready to approve 0.99').waitFor();
    await page.getByRole('link', { name: 'antwerp' }).click();
    await page.getByRole('heading', { level: 1, name: 'antwerp' }).waitFor();
    expect(page.url()).toBe(`${seeded.service.address}/console/calibration/antwerp`);
    // The rung that asks for something is the one that is looked at.
    await page.getByRole('heading', { name: 'Rung 0.99' }).waitFor();
  });

  it('tries a threshold, and lets two operators approve it', async () => {
    const { page } = await opened('olga', PAGE);
    await page.getByRole('button', { name: 'Dry run', exact: true }).click();
    await page
      .getByRole('region', { name: 'dry run' })
      .getByText(/Of \d+ past claims/)
      .waitFor();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.isDisabled()).toBe(true);
    await page.getByLabel('Reason to approve', { exact: true }).fill('45 claims look well');
    await approve.dblclick();
    await page.getByText('Waits for a second operator').first().waitFor();
    // A dry run is of what was proposed before the decision.
    expect(await page.getByRole('region', { name: 'dry run' }).count()).toBe(0);
    await page.getByText('Another operator has to approve it.').waitFor();
    expect(await approve.count()).toBe(0);
    const second = await opened('otto', PAGE);
    await second.page.getByText('olga asked for it').waitFor();
    await second.page.getByLabel('Reason to approve', { exact: true }).fill('so they do');
    await second.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await second.page.getByText('otto, as olga had asked').waitFor();
    const history = await seeded.service.json(
      'GET',
      '/api/v1/calibration/antwerp/history',
      undefined,
      seeded.service.operator,
    );
    expect(history.body.items.map(({ event }: { event: string }) => event)).toEqual([
      'ApprovalRequested',
      'RungApproved',
    ]);
  });

  it('verifies the bundle in the page, and refuses one that was changed', async () => {
    const { page } = await opened('anna', PAGE);
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    const sheet = page.getByRole('region', { name: 'verified bundle' });
    await sheet.getByText('antwerp: 1 approval recomputed, all sound').waitFor();
    await sheet
      .getByText(/Rung 0\.99 approved, threshold 0\.\d{4}, from \d+ claims, by otto, as olga had asked/)
      .waitFor();
    const { service } = seeded;
    const { body } = await service.json('GET', '/api/v1/calibration/antwerp/history', undefined, service.operator);
    const shown = page.locator('[data-digest]');
    expect(await shown.nth(0).getAttribute('data-digest')).toBe(body.audit_root);
    expect(await shown.nth(1).getAttribute('data-digest')).toBe(body.chain_root);
    await sheet.getByText('signed by this service').waitFor();
    await sheet.getByText(/(\d+) of \1 events were sealed when it was written\./).waitFor();
    const { audit_keys } = (await service.json('GET', '/api/v1', undefined)).body;
    expect(await shown.nth(2).getAttribute('data-digest')).toBe(audit_keys[0].public_key);
    const answer = await fetch(`${service.address}/api/v1/calibration/antwerp/audit.zip`, {
      headers: service.operator,
    });
    const zip = Buffer.from(await answer.arrayBuffer());
    const at = zip.indexOf('"reason":"so they do"');
    const file = join(folder, 'changed.zip');
    writeFileSync(
      file,
      Buffer.concat([zip.subarray(0, at), Buffer.from('"reason":"so they DO"'), zip.subarray(at + 21)]),
    );
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Something differs').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toMatch(/^audit-antwerp-.*\.zip$/);
  });

  it('refuses a bundle that is signed by another key than the one told', async () => {
    const { page } = await opened('anna', PAGE);
    await page.getByLabel('Public key, if you were told one').fill('ab'.repeat(32));
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText(/signature\.json: is by the key [0-9a-f]{64}, not (ab){32}/).waitFor();
  });

  it.each([
    ['not signed', null],
    ['signature not checked', { key: 'ab'.repeat(32), checked: false }],
    ['signed by another key than this service’s', { key: 'ab'.repeat(32), checked: true }],
  ])('says of a sound bundle that it is %s', async (said, signature) => {
    const window = await ConsoleWindow.open(browser, seeded.service.address);
    windows.push(window);
    const found = {
      root: '0'.repeat(64),
      chain: '1'.repeat(64),
      signature,
      seals: { sealed: 7, taken: 0, unsealed: 0 },
    };
    const outcome = JSON.stringify({ says: 'sound', ...found, population: 'antwerp', decisions: [] });
    await window.page.route(/verify\.worker/, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `onmessage = () => postMessage(${outcome});` }),
    );
    await window.signIn('anna', { path: PAGE });
    await window.page.getByRole('button', { name: 'Verify', exact: true }).click();
    await window.page.getByRole('region', { name: 'verified bundle' }).getByText(said, { exact: true }).waitFor();
  });

  it('verifies a receipt that is pasted, and refuses one with a bit changed', async () => {
    const window = await opened('anna', PAGE, SIZES.phone);
    const { page } = window;
    const receipt = await receiptOf(seeded.claims[1]);
    const field = page.getByLabel('Or verify a receipt');
    await field.fill(`  ${receipt} `);
    const said = page.getByRole('status').filter({ hasText: 'the receipt holds' });
    await said.getByText(seeded.claims[1]).waitFor();
    await window.expectSound('receipt', 'light');
    const [head, payload, signature] = receipt.split('.');
    const bytes = Buffer.from(payload, 'base64url');
    bytes[bytes.indexOf('"verdict"')] ^= 1;
    await field.fill([head, bytes.toString('base64url'), signature].join('.'));
    await page.getByText(/^The receipt does not hold/).waitFor();
    expect(await said.count()).toBe(0);
    await window.expectSound('receipt-refused', 'light');
  });

  it('is the day of an auditor: bundle, receipt, claim and log, and no button that decides', async () => {
    const { page } = await opened('anna', '/');
    const menu = (name: string) =>
      page.getByRole('navigation', { name: 'pages' }).getByRole('link', { name, exact: true }).click();
    await menu('Calibration');
    await page.getByRole('link', { name: 'antwerp' }).click();
    await page.getByRole('link', { name: '0.99', exact: true }).click();
    await page.getByText('Your key reads only').first().waitFor();
    for (const name of ['Approve', 'Withdraw'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('antwerp: 1 approval recomputed, all sound').waitFor();
    const root = await page.locator('[data-digest]').nth(0).getAttribute('data-digest');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download this bundle' }).click();
    const file = join(folder, 'taken.zip');
    await (await download).saveAs(file);
    // What was taken away is what was verified.
    await page.getByLabel('Root digest, if you were told one').fill(root!);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('antwerp: 1 approval recomputed, all sound').waitFor();
    const [claim] = seeded.claims;
    await page.getByLabel('Or verify a receipt').fill(await receiptOf(claim));
    await page.getByText('the receipt holds').waitFor();

    await page.getByLabel('search for a claim or a stone reference').fill(claim);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Claim clm_/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Note it', exact: true }).count()).toBe(0);

    await menu('System');
    await page.getByRole('link', { name: 'Streams of the log' }).click();
    await page.getByRole('link', { name: 'calibration-antwerp' }).click();
    await page.getByText('approved, rung', { exact: true }).first().click();
    await page.getByText('"RungApproved"').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Operator key').waitFor();
  });

  it('keeps to the rules of accessibility', async () => {
    const window = await opened('olga', PAGE, SIZES.phone);
    await window.page.getByText('Claims are scored raw').waitFor();
    await window.expectSound('calibration', 'light');
    await window.page.setViewportSize(SIZES.phone);
    await window.recolour('light');
    await window.go('/calibration');
    await window.page.getByText('calibrated 0.99').waitFor();
    await window.expectSound('calibrations', 'light');
  });

  it('withdraws it, and shows what was live before', async () => {
    const live = new Date().toISOString();
    const { page } = await opened('otto', PAGE);
    await page.getByLabel('Reason to withdraw', { exact: true }).fill('another instrument');
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByText('another instrument').first().waitFor();
    await page.getByRole('button', { name: 'Withdraw', exact: true }).waitFor({ state: 'hidden' });
    const past = await opened('anna', `${PAGE}&as_of=${live}`);
    await past.page.getByText(/Rung 0\.99: 0\.\d{4}, approved by otto/).waitFor();
    await past.page.getByText('All other rungs were as shipped.').waitFor();
    await past.page.getByRole('link', { name: '0.97', exact: true }).click();
    await past.page.getByRole('heading', { name: 'Rung 0.97' }).waitFor();
    expect(past.page.url()).toContain(`as_of=${encodeURIComponent(live)}`);
    expect(await past.page.getByLabel(/^Live at/).inputValue()).not.toBe('');
  });
});
