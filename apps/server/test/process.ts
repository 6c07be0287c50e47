/** The service in a process of its own, which a test may kill, starve or look over the shoulder of. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../../test/until.js';
import { Client } from './client.js';
import { PATIENT, projectionModel, writeModelFolder } from './fixture.js';

const SERVING = fileURLToPath(new URL('./serving.js', import.meta.url));

/** True if a process's memory can be bounded here (Linux). */
export const canLimit = spawnSync('prlimit', ['--version']).status === 0;

export interface ProcessOptions {
  environment?: Record<string, string>;
  /** Command that starts the program, as `prlimit --fsize=...`. */
  wrap?: string[];
  /** Program and its arguments in place of the service on the test's model. */
  program?: string[];
  /** Words of the command line behind the program. */
  args?: string[];
  /** A file for its standard output, which is then in no `lines`; the environment must name the PORT. */
  output?: string;
}

export class ServingProcess extends Client {
  /** Lines of all runs, stdout and stderr together. */
  readonly lines: string[] = [];
  /** Holds everything that the process can write: its data, its working directory, its temporary files. */
  readonly home = mkdtempSync(join(tmpdir(), 'mvs-process-'));
  private child!: ChildProcess;
  private exited!: Promise<number | null>;

  private constructor(private readonly options: ProcessOptions) {
    super();
    for (const folder of ['model', 'work', 'tmp']) mkdirSync(join(this.home, folder));
    writeModelFolder(join(this.home, 'model'), projectionModel());
  }

  static async start(options: ProcessOptions = {}): Promise<ServingProcess> {
    const serving = new ServingProcess(options);
    await serving.open();
    serving.apiKey = await serving.createKey('lab-a');
    return serving;
  }

  /** Not started: `open` does that. */
  static prepare(options: ProcessOptions = {}): ServingProcess {
    return new ServingProcess(options);
  }

  get data(): string {
    return join(this.home, 'var');
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Starts the program. @throws Error with its last words where it ends before it serves */
  async open(more: Pick<ProcessOptions, 'environment' | 'wrap' | 'args'> = {}): Promise<void> {
    const {
      environment,
      wrap = [],
      program = [SERVING, join(this.home, 'model')],
      args: words = [],
      output,
    } = { ...this.options, ...more };
    const [command, ...args] = [...wrap, process.execPath, ...program, ...words];
    const file = output === undefined ? 'pipe' : openSync(output, 'w');
    this.child = spawn(command, args, {
      stdio: ['ignore', file, 'pipe'],
      cwd: join(this.home, 'work'),
      env: {
        PATH: process.env.PATH,
        TMPDIR: join(this.home, 'tmp'),
        PORT: '0',
        MVS_DATA_DIR: this.data,
        MVS_THREADS: '1',
        MVS_LOG_LEVEL: 'debug',
        ...PATIENT,
        ...environment,
      },
    });
    if (file !== 'pipe') closeSync(file);
    const from = this.lines.length;
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
    this.address = await new Promise<string>((resolve, reject) => {
      for (const stream of [this.child.stdout, this.child.stderr]) {
        let rest = '';
        stream?.setEncoding('utf8').on('data', (chunk: string) => {
          const parts = (rest + chunk).split('\n');
          rest = parts.pop() ?? '';
          for (const line of parts) {
            this.lines.push(line);
            const address = /"address":"(http:[^"]+)".*"msg":"serving"/.exec(line)?.[1];
            if (address) resolve(address);
          }
        });
      }
      if (output !== undefined) {
        const address = `http://127.0.0.1:${environment?.PORT}`;
        const serves = () => fetch(`${address}/health/live`).then(({ ok }) => ok);
        void until(() => serves().catch(() => false)).then(() => resolve(address), reject);
      }
      void this.exited.then(() => reject(new Error(this.lines.slice(from).join('\n'))));
    });
    const secrets = readFileSync(join(this.data, 'operator.env'), 'utf8');
    this.operatorKey = /^MVS_OPERATOR_KEY=(.+)$/m.exec(secrets)![1];
  }

  /** Exit status of the last run; null where a signal ended it, or it runs. */
  get code(): number | null {
    return this.child.exitCode;
  }

  /** The process's standard output as its reader sees it. */
  get output() {
    return this.child.stdout!;
  }

  /** Exit status, or null where a signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }

  async remove(): Promise<void> {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) await this.end('SIGKILL');
    rmSync(this.home, { recursive: true, force: true });
  }
}
