/** The console against those who may not be in, and against text that wants to be more than text. */
import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { claimOf, formOf } from '../../apps/server/test/fixture.js';
import { browserIsHere } from '../browser.js';
import { ConsoleWindow, keyOf, launch, PLANTED, type Seeded, seed } from './fixture.js';

const REPLAY_TOKEN = 'a-replay-token-of-this-test';
/** A reference out of a file's name ends at a blank: as markup it would be no text. */
const FILE = 'FILE<script>planted=1';
/** As names and references are kept: 64 characters at most. It runs as soon as it is markup anywhere. */
const planted = (where: string) => `${where}<img src=x onerror=planted=1>`;

(browserIsHere ? describe : describe.skip)('the console in chromium', () => {
  let seeded: Seeded;
  let browser: Browser;
  let window: ConsoleWindow;
  let page: Page;
  let workspace: { token: string };
  let finding: string;
  const { KEY, POPULATION, ROUGH, POLISH, WORKSPACE, LABEL } = Object.fromEntries(
    ['KEY', 'POPULATION', 'ROUGH', 'POLISH', 'WORKSPACE', 'LABEL'].map((where) => [where, planted(where)]),
  );

  const ask = async (method: string, path: string, value?: unknown, headers = seeded.service.operator) => {
    const { status, body } =
      value === undefined
        ? await seeded.service.call(method, path, { headers })
        : await seeded.service.json(method, path, value, headers);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  beforeAll(async () => {
    const replay = createHash('sha256').update(REPLAY_TOKEN).digest('hex');
    [seeded, browser] = await Promise.all([seed(45, { MVS_REPLAY_TOKEN: replay }), launch()]);
    const { service } = seeded;
    workspace = await ask('POST', '/api/lotscan/workspaces', { name: WORKSPACE });
    const key = { 'x-api-key': await service.createKey(KEY, { population: POPULATION }) };
    const send = async (claim: ReturnType<typeof claimOf> | FormData) => {
      const { status, body } = await service.verify(claim, key);
      if (status !== 200) throw new Error(`claim refused: ${body.detail}`);
      return body.claim_id as string;
    };
    const byName = claimOf(70);
    byName.rough.stone_id = ROUGH;
    const byFile = claimOf(71);
    for (const side of ['rough', 'polish'] as const) byFile[side].stone_id = FILE;
    const [claim] = [await send(byName), await send(formOf(byFile))];
    for (const rough of [72, 73, 74]) {
      const probed = claimOf(rough, { polishOf: 75 });
      probed.polish.stone_id = POLISH;
      seeded.claims.push(await send(probed));
    }
    seeded.claims.unshift(claim);
    await ask('POST', '/api/v1/expected', [{ claim_id: claim, expected: 'match', stone_id: LABEL }], key);
    await ask('POST', `/api/v1/claims/${claim}/review`, { note: PLANTED, outcome: 'wrong' });
    const found = await ask('GET', `/api/v1/findings?${new URLSearchParams({ reference: POLISH })}`);
    finding = found.items[0].id;
    await ask('POST', `/api/v1/findings/${encodeURIComponent(finding)}/review`, { note: PLANTED });
    const ladder = await ask('GET', '/api/v1/calibration/antwerp');
    const { proposal } = ladder.rungs.find(({ reject_target }: { reject_target: number }) => reject_target === 0.99);
    await ask('POST', '/api/v1/calibration/antwerp/rungs/0.99/approve', {
      reason: PLANTED,
      proposal_digest: proposal.proposal_digest,
    });
  });
  afterEach(() => window.close());
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });
  const open = async () => {
    window = await ConsoleWindow.open(browser, seeded.service.address);
    page = window.page;
  };

  it('lets in no client, no replay token and no unknown workspace, says so, and shows them nothing', async () => {
    const { service } = seeded;
    const replayed = await service.verify(claimOf(1), { 'x-svc-replay': '1', 'x-svc-replay-key': REPLAY_TOKEN });
    expect(replayed.status).toBe(200);
    await open();
    const asked = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api') || pathname.startsWith('/health')) asked.add(pathname);
    });
    await window.go('/claims?population=antwerp');
    await page.getByLabel('Keep it in this tab').check();
    const unknown = `mvs_lots_${'0'.repeat(16)}.nothing`;
    for (const key of [service.apiKey, REPLAY_TOKEN, unknown, 'nonsense']) {
      await page.getByLabel('Operator key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page
        .getByText(key === unknown ? 'No active workspace has this token.' : 'No operator has this key')
        .waitFor();
      await page.getByRole('button', { name: 'Sign in', disabled: false }).waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
      expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).toBe('{}');
      // The text is of this key: another one clears it.
      await page.getByLabel('Operator key').fill('');
    }
    expect([...asked]).toEqual(['/api/v1/operators/me', '/api/lotscan/lots']);
    await page.getByLabel('Operator key').fill(keyOf('anna'));
    await page.keyboard.press('Enter');
    await window.heading('Claims').waitFor();
  });

  it('shows what clients and operators wrote as text, on every page', async () => {
    await open();
    await window.signIn();
    const at = (path: string, ...shown: string[]): [string, string[]] => [path, shown];
    const pages = [
      at('/'),
      at('/claims', ROUGH, POPULATION, KEY),
      at(`/claims?${new URLSearchParams({ reference: FILE })}`, FILE),
      at(`/claims/${seeded.claims[0]}`, ROUGH, POPULATION, KEY, LABEL, PLANTED),
      at(`/claims/${seeded.claims.at(-1)}`, POLISH),
      at('/review'),
      at('/review?of=findings'),
      at('/findings', POLISH, POPULATION, KEY),
      at(`/findings/${encodeURIComponent(finding)}`, POLISH, POPULATION, KEY, PLANTED),
      at(`/telemetry?${new URLSearchParams({ population: POPULATION })}`, POPULATION, KEY),
      at(`/drift?${new URLSearchParams({ population: POPULATION })}`, POPULATION),
      at('/hygiene'),
      at('/calibration', POPULATION),
      at(`/calibration/${encodeURIComponent(POPULATION)}`, POPULATION),
      at('/calibration/antwerp?rung=0.99', PLANTED),
      at('/keys', KEY, POPULATION),
      at('/system'),
      at(`/system/log?stream=review-${seeded.claims[0]}`, PLANTED),
      at(`/system/log?stream=workspace-${workspace.token.slice('mvs_lots_'.length).slice(0, 16)}`, WORKSPACE),
    ];
    for (const [path, texts] of pages) {
      await window.go(path);
      await window.heading(/./).waitFor();
      await window.settle();
      for (const closed of await page.locator('main summary').all()) await closed.click();
      const said = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
      for (const text of texts) expect([path, said.includes(text)]).toEqual([path, true]);
      expect([path, await page.locator('img[src=x], script:not([src])').count()]).toEqual([path, 0]);
    }

    // Parts that come only where they are asked for: a sheet, a dialogue, a hint.
    await window.go('/calibration/antwerp');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByRole('region', { name: 'verified bundle' }).getByText(PLANTED).waitFor();
    await window.go('/keys');
    await page.getByRole('row', { name: KEY }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText(KEY, { exact: true }).waitFor();
    expect(window.complaints).toEqual([]);

    // The trap that all of this did not spring is one.
    await page.evaluate('planted = 1');
    expect(window.complaints).toEqual([expect.stringContaining('planted text ran')]);
  });
});
