/** The image's content runs by itself: the build without laboratory, benches and tests. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './client/packed.js';
import { commandOf, NODE_FLAGS } from './node-flags.js';

const image = mkdtempSync(join(tmpdir(), 'mvs-image-'));
beforeAll(async () => {
  for (const path of ['dist', 'models', 'package.json'])
    cpSync(join(root, path), join(image, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(image, 'node_modules'));
  const { strip } = await import(join(root, 'scripts/image.mjs'));
  strip(join(image, 'dist'));
});
afterAll(() => rmSync(image, { recursive: true }));

const run = (program: string, ...args: string[]) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [join(image, 'dist', program), ...args], { cwd: image }, (error, out, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, error: stderr }),
    );
  });

it('says where the laboratory’s commands run', async () => {
  const { code, error } = await run('programs/mvs.js', 'train', '--pairs', 'pairs');
  expect([code, error]).toEqual([3, expect.stringContaining('run it from a clone of the project')]);
  const lots = await run('programs/mvs.js', 'lots', 'train', '--parcels', '3');
  expect([lots.code, lots.error]).toEqual([3, expect.stringContaining('run it from a clone of the project')]);
});

it('runs the other commands', async () => {
  expect(await run('programs/mvs.js', 'verify', '--rough', 'nowhere', '--polish', 'nowhere')).toMatchObject({
    code: 3,
  });
  expect((await run('programs/mvs.js', '--help')).code).toBe(0);
});

it.each(['programs/server.js', 'programs/worker.js', 'programs/worker-health.js'])(
  '%s finds all that it imports',
  async (program) => {
    // With a configuration that it refuses, the program ends as soon as everything is loaded.
    const refused = await new Promise<string>((resolve) => {
      const env = { ...process.env, PORT: 'eighty', REDIS_URL: 'nonsense', MVS_THREADS: 'many' };
      execFile(process.execPath, [join(image, 'dist', program)], { cwd: image, env }, (_error, out, stderr) =>
        resolve(out + stderr),
      );
    });
    expect(refused).not.toContain('ERR_MODULE_NOT_FOUND');
    expect(refused).toMatch(/PORT|MVS_THREADS|REDIS_URL/);
  },
);

it('is made on the Node of .nvmrc, by digest, as CI is by actions by digest', () => {
  const text = (file: string) => readFileSync(join(root, file), 'utf8');
  const bases = [...text('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(new Set(bases).size).toBe(1);
  expect(bases[0]).toMatch(new RegExp(`^node:${text('.nvmrc').trim()}-bookworm-slim@sha256:[0-9a-f]{64}$`));
  expect(text('docker-compose.yml')).toMatch(/^ {4}image: redis:\S+@sha256:[0-9a-f]{64}$/m);
  const actions = [...text('.github/workflows/ci.yml').matchAll(/uses: (\S+)/g)].map(([, action]) => action);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

it('is started as package.json starts the programs', () => {
  expect(NODE_FLAGS).not.toEqual([]);
  expect(commandOf('start').slice(0, -1)).toEqual(['node', ...NODE_FLAGS]);
  const commandsIn = (file: string) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:CMD|\s+command:) (\["node".*\])$/gm)].map(
      ([, command]) => JSON.parse(command) as string[],
    );
  expect(commandsIn('Dockerfile')).toEqual([commandOf('serve')]);
  expect(commandsIn('docker-compose.yml')).toEqual([commandOf('serve'), commandOf('worker')]);
});
