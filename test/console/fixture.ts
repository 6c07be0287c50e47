/** The console in Debian's chromium, on a service in this process that was sent simulated claims. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium as launcher, type Page } from 'playwright-core';
import {
  claimOf,
  mixedUpClaim,
  projectionModel,
  TestService,
  writeModelFolder,
} from '../../apps/server/test/fixture.js';
import { chromium } from '../browser.js';
import { freePort } from '../ports.js';
import { until } from '../until.js';

/** Operators of the test: olga and otto operate, anna audits. */
export type Operator = 'olga' | 'otto' | 'anna';
export const keyOf = (name: Operator) => `a-key-of-${name}-in-this-test`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Stands wherever a client may write, and must never run. */
export const PLANTED = `<img src=x onerror="globalThis.planted=1"><script>globalThis.planted=1</script>`;

/** In every page: a planted text that runs is a complaint, whichever page it ran in. */
const TRAP = `Object.defineProperty(globalThis, 'planted', { set: () => console.error('planted text ran') })`;

/** Thresholds at which some genuine claims of the test model are not confirmed, and want a review. */
const LOWEST_THRESHOLD = 0.87;

export interface Seeded {
  service: TestService;
  /** Ids of claims, in the order of their making. */
  claims: string[];
  /** Ends the service, and starts it again at its address once `meanwhile` is done. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** @param stones genuine claims by a key of a population "antwerp" @param settings more of the environment */
export async function seed(stones = 45, settings: Record<string, string> = {}): Promise<Seeded> {
  const folder = mkdtempSync(join(tmpdir(), 'mvs-console-'));
  const model = projectionModel();
  writeModelFolder(folder, model, LOWEST_THRESHOLD);
  const operators = `olga:${sha256(keyOf('olga'))},otto:${sha256(keyOf('otto'))},anna:${sha256(keyOf('anna'))}:audit`;
  // A restart comes back to the same address.
  const environment = { MVS_OPERATOR_KEYS: operators, PORT: String(await freePort()), ...settings };
  const service = await TestService.startWithoutKey(environment, model, [folder]);
  service.operatorKey = keyOf('olga');
  service.apiKey = await service.createKey('antwerp', { population: 'antwerp' });
  const lab = await service.createKey('a laboratory with a rather long name, as laboratories have', { kind: 'test' });
  const claims: string[] = [];
  const send = async (claim: ReturnType<typeof claimOf>, headers = {}) => {
    const { status, body } = await service.verify(claim, headers);
    if (status !== 200) throw new Error(`claim refused: ${body.detail}`);
    claims.push(body.claim_id);
  };
  for (let stone = 1; stone <= stones; stone++) await send(claimOf(stone));
  // One polish against three roughs, and a stone whose name is a script.
  for (const stone of [1, 2, 3]) await send(mixedUpClaim(stone));
  for (const rough of [4, 5, 6]) await send(claimOf(rough, { polishOf: 60 }));
  const planted = claimOf(61);
  planted.rough.stone_id = PLANTED.slice(0, 60);
  await send(planted, { 'x-api-key': lab });
  const flat = claimOf(62);
  flat.rough.spectra = flat.rough.spectra.map((scan) => scan.map(() => 1));
  await service.verify(flat);
  const labels = claims.slice(0, 6).map((claim_id) => ({ claim_id, expected: 'match' }));
  await service.json('POST', '/api/v1/expected', labels, { 'x-api-key': service.apiKey });
  const restart = async (meanwhile: () => Promise<void>) => {
    await service.service.close();
    try {
      await meanwhile();
    } finally {
      // The tests that follow have their service, whatever became of this one.
      await service.open();
      service.operatorKey = keyOf('olga');
    }
  };
  const stop = async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { service, claims, restart, stop };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Those of its rules by default that look at colours. */
const COLOURS = JSON.stringify({ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } });
/** Folder of pictures of the pages, for who wants to look at them: made where the environment names one. */
const PICTURES = process.env.MVS_TEST_PICTURES;

/** Sizes at which pages are looked at. */
export const SIZES = { phone: { width: 390, height: 844 }, screen: { width: 1280, height: 900 } };

interface Axe {
  violations: { id: string; help: string; nodes: { html: string }[] }[];
}

/** A browser window on the console, with its complaints. */
export class ConsoleWindow {
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly address: string,
  ) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        this.complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !/^(data|blob):/.test(url)) this.complaints.push(`asked ${url}`);
    });
  }

  static async open(
    browser: Browser,
    address: string,
    { scheme = 'light' as 'light' | 'dark', width = 1280, height = 900 } = {},
  ): Promise<ConsoleWindow> {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height } });
    context.setDefaultTimeout(120_000);
    await context.addInitScript(TRAP);
    return new ConsoleWindow(await context.newPage(), context, address);
  }

  /** Another tab of the same browser. */
  async tab(path: string): Promise<ConsoleWindow> {
    const tab = new ConsoleWindow(await this.context.newPage(), this.context, this.address);
    await tab.go(path);
    return tab;
  }

  go(path: string) {
    return this.page.goto(`${this.address}/console${path}`);
  }

  /** @param keep whether the tab keeps the key over a reload */
  async signIn(who: Operator = 'olga', { path = '/', keep = true } = {}): Promise<void> {
    await this.go(path);
    await this.page.getByLabel('Operator key').fill(keyOf(who));
    if (keep) await this.page.getByLabel('Keep it in this tab').check();
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  heading(name: string | RegExp) {
    return this.page.getByRole('heading', { level: 1, name });
  }

  /** Classes of the component library that no style of the page knows: styles.ts lacks a component's. */
  async unstyled(): Promise<string[]> {
    return (await this.page.evaluate(`(() => {
      const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText).join();
      const classes = new Set([...document.querySelectorAll('[class]')].flatMap((one) => [...one.classList]));
      return [...classes].filter((name) => /^m_[0-9a-f]{6,}$/.test(name) && !rules.includes(name));
    })()`)) as string[];
  }

  /** All that is asked has been answered, and charts are drawn. */
  settle(): Promise<void> {
    const waiting = this.page.locator('[aria-label="waiting for the answer"], [aria-busy=true], [data-visible=true]');
    return until(async () => (await waiting.count()) === 0);
  }

  async picture(name: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  }

  /** The same page in the other colours, without a reload. */
  async recolour(colorScheme: 'light' | 'dark'): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await this.page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await this.page.evaluate('for (const change of document.getAnimations()) try { change.finish() } catch {}');
  }

  /**
   * The objections of axe-core to the page as it is now.
   * @param colours only its rules about them: all that differs on a page that was recoloured
   */
  async accessibility({ colours = false } = {}): Promise<string[]> {
    // Put in by the browser's own means, which no policy of a page holds up.
    if (await this.page.evaluate('globalThis.axe === undefined')) await this.page.evaluate(AXE);
    const { violations } = (await this.page.evaluate(`axe.run(${colours ? COLOURS : ''})`)) as Axe;
    return violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .map(({ html }) => html)
          .slice(0, 3)
          .join(' ')}`,
    );
  }

  /**
   * On a phone and then on a screen, in both colours: axe-core objects to nothing, every class of the library has its style,
   * and nothing is wider than the screen.
   * @param opened colours that it has now
   */
  async expectSound(name: string, opened: 'light' | 'dark'): Promise<void> {
    const other = opened === 'dark' ? 'light' : 'dark';
    for (const [size, schemes] of [
      ['phone', [opened, other]],
      ['screen', [other, opened]],
    ] as const) {
      await this.page.setViewportSize(SIZES[size]);
      for (const scheme of schemes) {
        await this.recolour(scheme);
        await this.settle();
        await this.picture(`${name}-${size}-${scheme}`);
        const objections = await this.accessibility({ colours: scheme !== schemes[0] });
        expect([size, scheme, objections]).toEqual([size, scheme, []]);
      }
      expect([size, await this.unstyled()]).toEqual([size, []]);
      expect(await this.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

export const launch = (): Promise<Browser> =>
  launcher.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
