import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { program } from './programs.js';

it('a bundled program that fails names its sources', async () => {
  const data = mkdtempSync(join(tmpdir(), 'mvs-programs-'));
  try {
    const { href } = pathToFileURL(program('run'));
    const call = `import { run } from ${JSON.stringify(href)}; await run({ modelFolders: [42] });`;
    const env = { PATH: process.env.PATH, MVS_DATA_DIR: data, PORT: '0' };
    const said = await new Promise<string>((resolve) =>
      execFile(process.execPath, ['--input-type=module', '-e', call], { env }, (_, out, error) => resolve(out + error)),
    );
    expect(said).toMatch(
      /^TypeError.*\n(.*\n)+ +at readModelFolder \(file:.*\/libs\/science\/matching\/folder\.ts:\d+:\d+\)\n/,
    );
    expect(said).toMatch(/\/apps\/server\/service\.ts:\d+:\d+/);
    expect(said).not.toContain('dist/programs');
  } finally {
    rmSync(data, { recursive: true });
  }
});
