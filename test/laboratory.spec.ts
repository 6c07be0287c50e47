/** docs/laboratory/laboratory.md, its commands word for word but for how many: from files to a claim under an own model. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { readConfiguration } from '#config/environment';
import type { Service } from '../apps/server/service.js';
import { root } from './client/packed.js';
import { blocksOf, runBlocks } from './docs/shell.js';
import { startBundled } from './programs.js';

const directory = mkdtempSync(join(tmpdir(), 'mvs-laboratory-'));
let service: Service | undefined;
afterAll(async () => {
  await service?.close();
  rmSync(directory, { recursive: true });
});

/** As few as each command takes, and the population that the shipped model knows least. */
const FEWER: [string, string][] = [
  ['second-plain', 'second-scatter'],
  ['--stones 300', '--stones 100'],
  ['--stones 200', '--stones 120'],
  ['--start shipped --name', '--start shipped --epochs 40 --name'],
  ['--stones 1000 --held-out 500', '--stones 60 --held-out 40'],
  ['head -120', 'head -110'],
  ['sleep .1', 'true'],
];

const PAGE = 'docs/laboratory/laboratory.md';
const page = readFileSync(join(root, PAGE), 'utf8');
const blocks = blocksOf(PAGE).map(({ commands }) => commands);

/** The output of each of these blocks, in one shell. */
const walk = (some: string[], address: string): Promise<string[]> =>
  runBlocks(
    'sh',
    some.map((commands) => FEWER.reduce((text, [from, to]) => text.replaceAll(from, to), commands)),
    { address, directory },
  );

it('goes from files to a claim under a model of its own', async () => {
  for (const [from] of FEWER) expect(page).toContain(from);
  const serving = blocks.findIndex((commands) => commands.includes('operator.env'));
  const [, shipped, adapted, trained, , own] = await walk(blocks.slice(0, serving), '');
  const confirmed = (text: string) => Number(/^0[.]98 +([\d.]+)% [(]/m.exec(text)?.[1]);
  expect(trained).toMatch(/laboratory/);
  expect(confirmed(adapted)).toBeGreaterThan(confirmed(shipped));
  expect(confirmed(own)).toBeGreaterThan(confirmed(shipped));

  const [, shadow] = /MVS_SHADOW_MODEL=var\/(\S+) npm start/.exec(page) as RegExpExecArray;
  service = await startBundled({
    configuration: readConfiguration({
      ...{ PORT: '0', MVS_DATA_DIR: directory, MVS_THREADS: '1' },
      MVS_SHADOW_MODEL: join(directory, shadow),
    }),
    logger: pino({ level: 'silent' }),
    version: 'laboratory',
    engine: 'simd',
  });
  const [sent, switched, claim] = await walk(blocks.slice(serving), service.address);
  expect(sent.match(/"verdict"/g)?.length).toBeGreaterThanOrEqual(1);
  const { digest } = JSON.parse(readFileSync(join(directory, shadow, 'card.json'), 'utf8'));
  expect(switched).toContain(digest);
  const { threshold } = JSON.parse(switched.split('\n')[0]);
  // The threshold is the approved one, so that nothing warns of an uncalibrated population.
  expect(claim).toContain(`threshold: ${threshold}`);
  expect(claim).toMatch(/verdict: '(NO_)?MATCH'/);
  expect(claim).not.toContain('shipped');
}, 900_000);
