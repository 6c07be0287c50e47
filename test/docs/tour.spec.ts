/** The commands of docs/start/tour.md print what stands there. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pino from 'pino';
import { readConfiguration } from '#config';
import { type Service, startService } from '../../apps/server/service.js';
import { root } from '../client/packed.js';

const directory = mkdtempSync(join(tmpdir(), 'mvs-tour-'));
let service: Service;

beforeAll(async () => {
  service = await startService({
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

/** Each block of commands with what the page says it prints. */
const page = readFileSync(join(root, 'docs', 'start', 'tour.md'), 'utf8');
const blocks = [...page.matchAll(/^```bash\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)];
const script = () =>
  ['set -e', ...blocks.map(([, commands], i) => `echo "== ${i}"\n${commands}`)]
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', service.address)
    .replaceAll('var/', `${directory}/`)
    .replaceAll('npx mvs', `node ${join(root, 'dist/apps/cli/main.js')}`);
/** So long only that a tour that hangs ends: on a busy machine one takes minutes. */
const MAX_MS = 600_000;
const run = (shell: string) =>
  new Promise<string>((resolve, reject) =>
    execFile(shell, ['-c', script()], { cwd: root, timeout: MAX_MS }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}\n${stderr}`)) : resolve(stdout),
    ),
  );
const pattern = (expected: string) =>
  new RegExp(
    `^${expected
      .replace(/[\\^$*+?()[\]{}|]/g, '\\$&')
      .replaceAll('...', '\u0000')
      .replaceAll('.', '[.]')
      .replaceAll('\u0000', '[^]*')}`,
  );

for (const shell of ['dash', 'bash', 'zsh']) {
  const here = spawnSync(shell, ['-c', 'true']).status === 0;
  (here || process.env.MVS_REQUIRE_SERVICES ? it : it.skip)(
    `does in ${shell} what docs/start/tour.md says, twice`,
    async () => {
      expect(blocks.length).toBeGreaterThanOrEqual(9);
      for (let time = 0; time < 2; time++) {
        const parts = (await run(shell)).split(/^== \d+\n/m).slice(1);
        expect(parts.length).toBe(blocks.length);
        for (const [i, [, , expected]] of blocks.entries()) if (expected) expect(parts[i]).toMatch(pattern(expected));
      }
    },
    2 * MAX_MS,
  );
}
