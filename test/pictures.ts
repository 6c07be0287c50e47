/**
 * `npm run pictures`: every page and picture as Chromium shows it, light and dark, under var/pictures/ to be looked at. The page
 * of the contract and the bundle are those of a service that lived through the story of the examples.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MatchVerification } from '#client';
import { SECRETS, withStory } from '../tools/story.js';
import { launch } from './console/fixture.js';
import { program } from './programs.js';

const OUT = join('var', 'pictures');
const MADE = join(OUT, 'made');
const MM = 96 / 25.4;

interface Shown {
  name: string;
  url: string;
  widths: number[];
  /** Height of the part that is shown; without it the whole page. */
  height?: number;
  /** Kept in the tab, as the console does where it is asked to. */
  operatorKey?: string;
}

/** Exit code 1 is an answer. */
function mvs(...args: string[]): void {
  try {
    execFileSync(process.execPath, [program('mvs'), ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error;
  }
}

/** Draws the pictures of the command line, of simulated stones, and copies those of the reports. */
function makePictures(): void {
  const at = (name: string) => join(MADE, name);
  mvs('simulate', '--out', at('pairs'), '--stones', '30');
  const scans = readdirSync(at('pairs')).sort();
  const [stone] = scans[0].split('_');
  const ofStone = scans.filter((name) => name.startsWith(`${stone}_`)).map((name) => join(at('pairs'), name));
  mvs('inspect', ...ofStone, '--plot', at('inspect.svg'));
  mvs('inspect', ofStone[0], '--plot', at('inspect-one.svg'));
  const side = (name: string) => ofStone.filter((file) => file.includes(`_${name}_`));
  const sides = ['--rough', ...side('rough'), '--polish', ...side('polish')];
  mvs('verify', ...sides, '--plot', at('verify.svg'), '--report', at('verify-report.html'));
  mvs('evaluate', at('pairs'), '--plot', at('evaluate.svg'));
  mvs('picture', '--out', at('picture.svg'));
  mvs('lots', 'simulate', '--out', at('lots'), '--stones', '20', '--substitute', '0.2');
  const lot = at(join('lots', readdirSync(at('lots'))[0]));
  mvs('lots', 'enrol', join(lot, 'enrol'), '--session-type', 'shaken', '--out', at('lot.json'));
  const drawn = ['--tray', at('tray.svg'), '--report', at('lot-report.html'), '--operator', 'A. Meier'];
  mvs('lots', 'check', at('lot.json'), join(lot, 'return'), '--session-type', 'shaken', ...drawn);
  for (const file of readdirSync('reports', { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.svg')) cpSync(join('reports', file), at(`reports-${file.replace('/', '-')}`));
}

/** Pixels of a picture's side, which is given in them or in millimetres. */
function sideOf(svg: string, side: 'width' | 'height'): number {
  const [, length = '', unit] = new RegExp(`<svg[^>]* ${side}="([0-9.]+)(mm)?`).exec(svg) ?? [];
  return Math.ceil(Number(length) * (unit === 'mm' ? MM : 1));
}

async function shoot(shown: Shown[]): Promise<void> {
  const browser = await launch();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme });
      for (const { name, url, widths, height, operatorKey } of shown) {
        if (operatorKey) await page.addInitScript(`sessionStorage.setItem('mvs-operator-key', '${operatorKey}')`);
        for (const width of widths) {
          await page.setViewportSize({ width, height: height ?? 1000 });
          await page.goto('about:blank');
          // The page of the contract asks for its document once it is loaded, and goes to the place after the #.
          await page.goto(url, { waitUntil: 'networkidle' });
          if (url.startsWith('http')) await page.waitForTimeout(2500);
          const path = join(OUT, `${name}-${width}-${colorScheme}.png`);
          await page.screenshot({ path, fullPage: height === undefined });
        }
      }
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(MADE, { recursive: true });
makePictures();
await withStory(async ({ address }) => {
  const client = new MatchVerification({ baseUrl: address, operatorKey: SECRETS.anna });
  const bundle = await client.auditBundle(SECRETS.population);
  writeFileSync(join(MADE, 'bundle.zip'), Buffer.from(await bundle.arrayBuffer()));
  execFileSync('unzip', ['-q', join(MADE, 'bundle.zip'), '-d', join(MADE, 'bundle')]);
  const file = (name: string) => pathToFileURL(resolve(MADE, name)).href;
  const contract = `${address}/api/v1/docs`;
  await shoot([
    { name: 'contract', url: contract, widths: [1280, 390], height: 1000 },
    {
      name: 'contract-claim',
      url: `${contract}#tag/verification/POST/api/v1/verify-match`,
      widths: [1280, 390],
      height: 1000,
    },
    ...['', 'claims', 'review', 'findings', 'calibration/antwerp', 'system'].map((page) => ({
      name: `console-${page.split('/')[0] || 'today'}`,
      url: `${address}/console/${page}`,
      widths: [1280, 390],
      height: 1000,
      operatorKey: SECRETS.anna,
    })),
    // As docs/operate/console.png the README shows the light one.
    { name: 'console-readme', url: `${address}/console/`, widths: [1280], height: 520, operatorKey: SECRETS.anna },
    { name: 'lot-report', url: file('lot-report.html'), widths: [900, 390] },
    { name: 'verify-report', url: file('verify-report.html'), widths: [900, 390] },
    { name: 'bundle-report', url: file('bundle/report.html'), widths: [1100, 390] },
    ...readdirSync(MADE)
      .filter((name) => name.endsWith('.svg'))
      .map((name) => {
        const svg = readFileSync(join(MADE, name), 'utf8');
        return {
          name: name.slice(0, -4),
          url: file(name),
          widths: [sideOf(svg, 'width')],
          height: sideOf(svg, 'height'),
        };
      }),
  ]);
});
