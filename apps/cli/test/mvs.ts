import { Readable, Writable } from 'node:stream';
import { run } from '../run.js';

export interface Said {
  code: number;
  out: string;
  error: string;
}

/** Runs a command of `mvs` in this process, on streams and an environment of its own. */
export async function mvs(
  args: readonly string[],
  { env = process.env, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<Said> {
  const said = { out: '', error: '' };
  const into = (key: keyof typeof said) =>
    new Writable({
      decodeStrings: false,
      write(text, _, done) {
        said[key] += text;
        done();
      },
    });
  const code = await run(args, { env, stdin: Readable.from([input]), stdout: into('out'), stderr: into('error') });
  return { code, ...said };
}
