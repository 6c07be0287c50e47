/** Programs as they are shipped: bundled by the build. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './client/packed.js';
import type { Look } from './looked-at.js';
import { until } from './until.js';

export const PROGRAMS = join(root, 'dist/programs');

type Name = 'server' | 'run' | 'service' | 'worker' | 'worker-health' | 'mvs' | 'vendor-sandbox';
export const program = (name: Name): string => join(PROGRAMS, `${name}.js`);

/** The service's `run`, in its bundle: for programs that add something to it. */
export const bundledService = async (): Promise<typeof import('../apps/server/run.js')> => import(program('run'));

/**
 * The service in its bundle, for a test's own process: its threads read some files in place of a hundred. Its classes are not
 * those of the modules.
 */
export const startBundled: typeof import('../apps/server/service.js').startService = async (options) => {
  const { startService }: typeof import('../apps/server/service.js') = await import(program('service'));
  return startService(options);
};

/** A built program that is started, looked at from inside and outside, and told to end. */
export class StartedProgram {
  /** All that it has written, to both outputs. */
  output = '';
  private readonly exited: Promise<number | NodeJS.Signals>;

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    this.exited = new Promise((resolve) =>
      child.once('close', (code, signal) => resolve(code ?? (signal as NodeJS.Signals))),
    );
  }

  static start(name: Name, env: Record<string, string>, args: string[] = []): StartedProgram {
    const looked = fileURLToPath(new URL('./looked-at.js', import.meta.url));
    return new StartedProgram(
      spawn(process.execPath, ['--import', looked, program(name), ...args], {
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      }),
    );
  }

  /** Waits until it has written this. @throws Error with what it has written where it ends before */
  async says(text: string): Promise<void> {
    let ended = false;
    void this.exited.then(() => {
      ended = true;
    });
    await until(() => this.output.includes(text) || ended);
    if (!this.output.includes(text)) throw new Error(this.output);
  }

  look(): Promise<Look> {
    return new Promise((resolve) => {
      this.child.once('message', (look) => resolve(look as Look));
      this.child.send('look');
    });
  }

  /** TCP ports on which it listens (Linux). */
  ports(): number[] {
    const folder = `/proc/${this.child.pid}/fd`;
    const sockets = new Set(readdirSync(folder).map((fd) => linkOf(join(folder, fd))));
    const rows = ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/net/${kind}`, 'utf8').split('\n').slice(1));
    return rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      return state === LISTENS && sockets.has(`socket:[${inode}]`) ? [Number.parseInt(local.split(':')[1], 16)] : [];
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Exit status, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals> {
    return this.exited;
  }

  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    if (this.child.exitCode === null) this.child.kill(signal);
    return this.exited;
  }
}

const LISTENS = '0A';

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed since.
    return '';
  }
}
