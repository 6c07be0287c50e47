import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from './client/packed.js';

const specs = {
  dies: `it('a', () => process.kill(process.pid, 'SIGKILL'));`,
  unloaded: `import './nothing.js';`,
  fails: `it('a', () => { throw new Error('seen'); });`,
  passes: `it('a', () => {});`,
};

it('says of each spec what became of it, of one whose process died or that does not load too', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mvs-runner-')));
  try {
    for (const [name, text] of Object.entries(specs)) writeFileSync(join(folder, `${name}.spec.mjs`), text);
    const runner = join(import.meta.dirname, 'runner.js');
    const config = JSON.stringify({ rootDir: folder, testMatch: ['**/*.spec.mjs'], transform: {}, runner });
    // One process for all: those after the one that dies have another.
    const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--json', '--maxWorkers=1', '--config', config];
    const { stdout } = spawnSync(process.execPath, jest, { encoding: 'utf8' });
    const { testResults } = JSON.parse(stdout) as { testResults: { name: string; status: string; message: string }[] };
    const said = Object.fromEntries(testResults.map(({ name, ...others }) => [basename(name, '.spec.mjs'), others]));
    expect(said).toMatchObject({
      dies: { status: 'failed', message: expect.stringContaining('ended: SIGKILL') },
      unloaded: { status: 'failed', message: expect.stringContaining('nothing.js') },
      fails: { status: 'failed', message: expect.stringContaining('seen') },
      passes: { status: 'passed' },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
