/** The commands of docs/start/tour.md print what stands there. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { readConfiguration } from '#config/environment';
import type { Service } from '../../apps/server/service.js';
import { startBundled } from '../programs.js';
import { blocksOf, pattern, runBlocks } from './shell.js';

const directory = mkdtempSync(join(tmpdir(), 'mvs-tour-'));
let service: Service;

beforeAll(async () => {
  service = await startBundled({
    configuration: readConfiguration({ PORT: '0', MVS_DATA_DIR: directory, MVS_THREADS: '1' }),
    logger: pino({ level: 'silent' }),
    version: 'tour',
    engine: 'simd',
  });
});
afterAll(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
});

const blocks = blocksOf('docs/start/tour.md');

for (const [shell, times] of [
  ['dash', 2],
  ['bash', 1],
  ['zsh', 1],
] as const) {
  const here = spawnSync(shell, ['-c', 'true']).status === 0;
  (here || process.env.MVS_REQUIRE_SERVICES ? it : it.skip)(
    `does in ${shell} what docs/start/tour.md says${times > 1 ? ', twice' : ''}`,
    async () => {
      expect(blocks.length).toBeGreaterThanOrEqual(9);
      for (let time = 0; time < times; time++) {
        const parts = await runBlocks(
          shell,
          blocks.map(({ commands }) => commands),
          { address: service.address, directory },
        );
        expect(parts.length).toBe(blocks.length);
        for (const [i, { printed }] of blocks.entries()) if (printed) expect(parts[i]).toMatch(pattern(printed));
      }
    },
    1_200_000,
  );
}
