/** Pages whose commands a test runs, in the order in which they stand there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../client/packed.js';

/** Blocks of `bash` on these pages are run by the test named; any other block of commands is `sh not run: why`. */
export const RUN: Record<string, string> = {
  'README.md': 'test/docs/guides.spec.ts',
  'docs/start/tour.md': 'test/docs/tour.spec.ts',
  'docs/integrate/integrating.md': 'test/docs/guide.spec.ts',
  'docs/audit/auditor.md': 'test/docs/auditor.spec.ts',
  'docs/audit/programs.md': 'test/docs/guides.spec.ts',
  'docs/operate/operating.md': 'test/docs/guides.spec.ts',
  'docs/operate/keys.md': 'test/docs/guides.spec.ts',
  'docs/operate/replay.md': 'test/docs/guides.spec.ts',
  'docs/operate/seals.md': 'test/docs/guides.spec.ts',
  'docs/laboratory/simulator.md': 'test/docs/guides.spec.ts',
  'docs/laboratory/laboratory.md': 'test/laboratory.spec.ts',
};

export interface Block {
  commands: string;
  /** Their output by the page, `...` for parts that differ. */
  printed?: string;
}

export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = text.matchAll(/^```bash\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms);
  return [...blocks].map(([, commands, printed]) => ({ commands, printed }));
}

/** So long only that a page that hangs ends: on a busy machine one takes minutes. */
const MAX_MS = 600_000;

/**
 * Runs commands in one shell, which ends at the first that fails.
 * @param directory stands for `var`
 * @param data the data folder of the service
 * @returns what each prints on its standard output
 */
export async function runBlocks(
  shell: string,
  commands: string[],
  { address, directory, data = directory }: { address: string; directory: string; data?: string },
): Promise<string[]> {
  const script = ['set -e', ...commands.map((some) => `echo '== next'\n${some}`)]
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', address)
    .replaceAll('var/', `${directory}/`);
  const output = await new Promise<string>((resolve, reject) =>
    execFile(
      shell,
      ['-c', script],
      { cwd: root, timeout: MAX_MS, maxBuffer: 1e8, env: { ...process.env, MVS_DATA_DIR: data } },
      (error, stdout, stderr) => (error ? reject(new Error(`${stdout}\n${stderr}`)) : resolve(stdout)),
    ),
  );
  return output.split('== next\n').slice(1);
}

/** Of what a page says that commands print. */
export const pattern = (printed: string): RegExp =>
  new RegExp(
    `^${printed
      .replace(/[\\^$*+?()[\]{}|]/g, '\\$&')
      .replaceAll('...', '\u0000')
      .replaceAll('.', '[.]')
      .replaceAll('\u0000', '[^]*')}`,
  );
