/** Every block of commands of a guide is run by a test, or says why not; here the shorter guides are run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { readConfiguration } from '#config/environment';
import { POPULATIONS, type SimulatedScan, simulateStone } from '#simulator';
import type { Service } from '../../apps/server/service.js';
import { root } from '../client/packed.js';
import { startBundled } from '../programs.js';
import { guides } from './guides.js';
import { blocksOf, pattern, RUN, runBlocks } from './shell.js';

const directory = mkdtempSync(join(tmpdir(), 'mvs-guides-'));
let service: Service;
/** Stones whose genuine claims miss the threshold of 0.99 with a probability of 0.6 or more. */
const NARROWLY_MISSED = [18, 39];

/** A service with a morning's work, twice, as two shells do it: claims to review, findings, a refusal. */
beforeAll(async () => {
  service = await startBundled({
    configuration: readConfiguration({ PORT: '0', MVS_DATA_DIR: directory, MVS_THREADS: '1' }),
    logger: pino({ level: 'silent' }),
    version: 'guides',
    engine: 'simd',
  });
  const post = async (path: string, headers: Record<string, string>, body: unknown) => {
    const response = await fetch(`${service.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, string>;
  };
  const { key } = await post('/api/v1/keys', { 'x-svc-admin': service.secrets!.operatorKey }, { name: 'guides' });
  writeFileSync(join(directory, 'demo.env'), `export MVS_DEMO_KEY=${key}\n`);
  const claim = (rough: SimulatedScan[], polish: SimulatedScan[], reject_target = 0.98) => {
    const [ofRough, ofPolish] = [rough, polish].map((scans) => ({
      wavenumbers: [...scans[0].wavenumbers],
      spectra: scans.map(({ absorbance }) => [...absorbance]),
    }));
    return post('/api/v1/verify-match', { 'x-api-key': key }, { rough: ofRough, polish: ofPolish, reject_target });
  };
  const [one, other] = [0, 1].map((stone) => simulateStone(POPULATIONS.calibration, 11, stone));
  expect(await claim(one.rough, one.polish)).toHaveProperty('verdict', 'MATCH');
  for (const { rough, polish } of NARROWLY_MISSED.map((stone) => simulateStone(POPULATIONS['client-b'], 11, stone)))
    expect(await claim(rough, polish, 0.99)).toHaveProperty('verdict', 'NO_MATCH');
  for (const [rough, polish] of [
    [other, one],
    [one, other],
    [other, other],
  ])
    await claim(rough.rough, polish.polish);
  const flat = one.rough.map((scan) => ({ ...scan, absorbance: scan.absorbance.map(() => 1) }));
  expect(await claim(flat, one.polish)).toHaveProperty('code', 'flat');
});
afterAll(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
});

const here = Object.keys(RUN).filter((page) => RUN[page] === 'test/docs/guides.spec.ts');

for (const shell of ['bash', 'zsh']) {
  const there = spawnSync(shell, ['-c', 'true']).status === 0;
  (there || process.env.MVS_REQUIRE_SERVICES ? it : it.skip).each(here)(
    `does in ${shell} what %s says`,
    async (page) => {
      const blocks = blocksOf(page);
      expect(blocks.length).toBeGreaterThan(0);
      const commands = blocks.map((block) => block.commands);
      const own = mkdtempSync(join(directory, `${shell}-`));
      // A page's files go into a folder of its own; the keys are the service's.
      const parts = await runBlocks(
        shell,
        commands.map((some) => some.replaceAll(/var\/(?=(operator|demo)[.]env)/g, `${directory}/`)),
        { address: service.address, directory: own, data: directory },
      );
      for (const [i, { printed }] of blocks.entries()) if (printed) expect(parts[i]).toMatch(pattern(printed));
    },
  );
}

describe('each block', () => {
  it.each(guides)('of %s says what it is', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    // Every second fence begins a block.
    const kinds = [...text.matchAll(/^ *```(.*)$/gm)].filter((_, i) => i % 2 === 0).map(([, kind]) => kind);
    const known = /^(text|json|yaml|ini|nginx|dockerfile|js|python|sh not run: \S.+)$/;
    expect(kinds.filter((kind) => !known.test(kind) && !(kind === 'bash' && page in RUN))).toEqual([]);
  });
});
