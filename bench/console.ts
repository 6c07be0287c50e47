/**
 * How long an operator waits in the console's pages on a service with many claims: in Chromium, from the event that asks (a filter
 * entered, an order chosen, the end of the rows in sight, a row opened) until what was asked for is drawn.
 * `MVS_BENCH_CLAIMS` and `MVS_BENCH_ROUNDS` set how many claims there are, and how often each is asked.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { quantile } from '#science/numerics/quantile';
import { launch } from '../test/console/fixture.js';
import { until } from '../test/until.js';
import { startService, type Target, withTargets } from './load.js';
import { writeStreams } from './written.js';

const CLAIMS = Number(process.env.MVS_BENCH_CLAIMS ?? 100_000);
const ROUNDS = Number(process.env.MVS_BENCH_ROUNDS ?? 10);
const PAGES = 5;
const PICTURE = join('var', 'console', 'bench.png');

/**
 * In the page: `watch(of)` begins to look, and `seen` tells the milliseconds from the latest click, Enter or scrolling until
 * the frame that shows it is drawn, and those of them until the service's answer was there.
 */
const WATCH = `(() => {
  let began = 0;
  const begin = (event) => { if (event.type !== 'keydown' || event.key === 'Enter') began = event.timeStamp; };
  for (const type of ['keydown', 'click', 'wheel']) addEventListener(type, begin, { capture: true, passive: true });
  const all = (sought) => document.querySelectorAll(sought).length;
  const rows = () => Number(document.querySelector('table[aria-rowcount]')?.getAttribute('aria-rowcount') ?? 0);
  const drawn = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }));
  const LOOKS = {
    // The rows of the question before stay in sight, busy, until those of this one are there.
    listing: () => { let busy = false; return () => { const now = all('[aria-busy=true]') > 0; busy ||= now; return busy && !now; }; },
    page: () => { const before = rows(); return () => rows() > before; },
    claim: () => () => all('section[aria-label=History]') > 0 &&
      all('[aria-label="waiting for the answer"], [data-visible=true], [aria-busy=true]') === 0,
  };
  globalThis.watch = (of) => {
    const is = LOOKS[of]();
    performance.clearResourceTimings();
    globalThis.seen = new Promise((done) => {
      const observer = new MutationObserver(async () => {
        if (!is()) return;
        observer.disconnect();
        await drawn();
        const ends = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/')).map((one) => one.responseEnd);
        done({ drawn: performance.now() - began, answered: Math.max(0, ...ends) - began });
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true });
    });
  };
})()`;

interface Seen {
  drawn: number;
  answered: number;
}

type Look = 'listing' | 'page' | 'claim';

/** Filters as an operator sets them, one after the other; `typed` ones are taken with Enter. */
const FILTERS: { label: string; typed?: (round: number) => string; option?: string }[] = [
  { label: 'Verdict', option: 'No match' },
  { label: 'Verdict', option: 'Match' },
  { label: 'Population', typed: () => 'lab-a' },
  { label: 'Warning', option: 'other' },
  { label: 'Stone', typed: (round) => `R${(round * 7919) % CLAIMS}` },
  { label: 'Key', typed: () => 'cutter' },
  { label: 'Finding', option: 'probing' },
  { label: 'Label', option: 'no match' },
  { label: 'Label', option: 'without a label' },
  { label: 'Reviewed', option: 'no' },
  { label: 'State', option: 'unfinished' },
  { label: 'Rung', option: '0.94' },
  { label: 'p from', typed: () => '0.6' },
  { label: 'p to', typed: () => '0.3' },
];
const ORDERS = ['most probable first', 'nearest to the threshold'];

/** One after the other, in one window. */
class Watched {
  readonly seen = new Map<string, Seen[]>();

  constructor(private readonly page: Page) {}

  /** @param act ends with the event that asks */
  async take(name: string, look: Look, act: () => Promise<unknown>): Promise<void> {
    await this.page.evaluate(`watch('${look}')`);
    await act();
    const seen = (await this.page.evaluate('seen')) as Seen;
    this.seen.set(name, [...(this.seen.get(name) ?? []), seen]);
  }

  async settle(): Promise<void> {
    const waiting = this.page.locator('[aria-label="waiting for the answer"], [aria-busy=true]');
    await until(async () => (await waiting.count()) === 0);
  }
}

async function round(page: Page, watched: Watched, base: string, n: number): Promise<void> {
  const open = async (path: string) => {
    // A load forgets all answers: nothing is shown that was asked before.
    await page.goto(`${base}/console${path}`);
    await page.locator('tr[data-row]').first().waitFor();
    await watched.settle();
  };
  const choose = async (name: string, label: string, option: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await watched.take(name, 'listing', () => page.getByRole('option', { name: option, exact: true }).click());
  };
  await open('/claims');
  await page.getByRole('button', { name: 'More filters' }).click();
  const bar = page.getByRole('search', { name: 'filters' });
  for (const { label, typed, option } of FILTERS) {
    if (option) await choose(`${label}: ${option}`, label, option);
    else {
      const field = bar.getByLabel(label, { exact: true });
      await field.fill(typed!(n));
      await watched.take(label, 'listing', () => field.press('Enter'));
    }
    await bar.getByRole('button', { name: 'Clear', exact: true }).click();
    await watched.settle();
  }
  for (const order of ORDERS) await choose(order, 'order', order);
  await open('/claims?verdict=NO_MATCH&population=lab-a&reviewed=false');
  await choose('three filters, nearest to the threshold', 'order', ORDERS[1]);
  await open('/claims');
  const rows = page.getByRole('region', { name: 'claims' });
  for (let next = 0; next < PAGES; next++) {
    await rows.hover();
    await watched.take('the next 100 rows', 'page', () => page.mouse.wheel(0, 100_000));
  }
  for (let row = 0; row < PAGES; row++) {
    await open('/claims');
    await watched.take('a claim', 'claim', () => page.locator('a[data-row-link]').nth(row).click());
  }
}

async function measure({ bases: [base], operator, vitals }: Target): Promise<void> {
  const headers = { 'x-svc-admin': operator };
  for (;;) {
    const health = await fetch(`${base}/health/detail`, { headers });
    const { parts } = (await health.json()) as { parts: { views: { caughtUp: boolean }[] } };
    if (parts.views.every(({ caughtUp }) => caughtUp)) break;
    await new Promise((wait) => setTimeout(wait, 1000));
  }
  const rows = await fetch(`${base}/api/v1/claims/rows?limit=100`, {
    headers: { ...headers, 'accept-encoding': 'identity' },
  });
  console.log(
    `${CLAIMS} claims, ${ROUNDS} rounds; 100 rows are ${Math.round((await rows.text()).length / 1000)} kB before compression\n`,
  );
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(120_000);
    await page.addInitScript(WATCH);
    await page.goto(`${base}/console/claims`);
    await page.getByLabel('Operator key').fill(operator);
    await page.getByLabel('Keep it in this tab').check();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const watched = new Watched(page);
    const before = await vitals!();
    for (let n = 1; n <= ROUNDS; n++) await round(page, watched, base, n);
    report(watched.seen);
    const after = await vitals!();
    const asked = [...watched.seen.values()].reduce((sum, all) => sum + all.length, 0);
    console.log(
      `service: ${((after.cpuMs - before.cpuMs) / asked).toFixed(0)} ms of processor time a question, with all that the pages ask ` +
        `beside it (counts, findings, loads between the rounds); load ${loadavg()[0].toFixed(1)} after\n`,
    );
    await page.screenshot({ path: PICTURE });
  } finally {
    await browser.close();
  }
}

function report(seen: Map<string, Seen[]>): void {
  const line = (name: string, all: Seen[]) => {
    const [drawn, answered] = [all.map((one) => one.drawn), all.map((one) => one.answered)].map((of) =>
      of.sort((a, b) => a - b),
    );
    const of = (values: number[], share: number) => quantile(values, share).toFixed(0);
    console.log(
      `| ${name} | ${all.length} | ${of(drawn, 0.5)} | ${of(drawn, 0.95)} | ${of(drawn, 1)} | ${of(answered, 0.5)} | ${of(answered, 0.95)} |`,
    );
  };
  console.log('| asked | times | drawn, ms, p50 | p95 | longest | answered, ms, p50 | p95 |');
  console.log('|---|---:|---:|---:|---:|---:|---:|');
  for (const [name, all] of seen) line(name, all);
  const listings = [...seen].flatMap(([name, all]) => (name === 'a claim' ? [] : all));
  line('**all listings**', listings);
  console.log();
}

export async function run(): Promise<void> {
  const start = async (directory: string) => {
    await writeStreams(join(directory, 'service'), CLAIMS);
    return startService(directory);
  };
  await withTargets([start], ([service]) => measure(service), false);
}
