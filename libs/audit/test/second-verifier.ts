/** verify.py, the verifier that shares no code with the others. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { VERIFIER } from '../writing.js';

export const PYTHON = '/usr/bin/python3';
export const SECOND = join(dirname(VERIFIER), 'verify.py');
const numpyIsHere = spawnSync(PYTHON, ['-c', 'import numpy']).status === 0;
/** True if a test that needs it runs: where every service is required, it fails without Python and numpy. */
export const withPython = numpyIsHere || process.env.MVS_REQUIRE_SERVICES === '1';

/** Runs the program in a fork of a process that has loaded Python and numpy, which takes longer than to verify most bundles. */
const FORKS = `
import json, os, signal, sys, tempfile, traceback
import numpy
path = sys.argv[1]
with open(path, encoding="utf-8") as file:
    program = compile(file.read(), path, "exec")
for line in sys.stdin:
    told = json.loads(line)
    outputs = [tempfile.TemporaryFile() for _ in range(2)]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            for descriptor, output in enumerate(outputs, 1):
                os.dup2(output.fileno(), descriptor)
            os.chdir(told["cwd"])
            sys.argv = [path, *told["args"]]
            exec(program, {"__name__": "__main__", "__file__": path})
            code = 0
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = []
    for output in outputs:
        output.seek(0)
        said.append(output.read().decode(errors="replace"))
    print(json.dumps({"code": code, "out": said[0], "error": said[1]}), flush=True)
`;

export interface Said {
  /** Below 0 where a signal ended it: one that takes a minute is ended. */
  code: number;
  out: string;
  error: string;
}

/** To be called at the top of a suite: what it returns runs the program, and is gone with the suite. */
export function secondVerifier(): (args: readonly string[], cwd?: string) => Promise<Said> {
  let running: ChildProcessByStdio<Writable, Readable, null> | undefined;
  const asked: { resolve(said: Said): void; reject(error: Error): void }[] = [];
  const start = () => {
    const started = spawn(PYTHON, ['-B', '-c', FORKS, SECOND], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: started.stdout }).on('line', (line) => asked.shift()!.resolve(JSON.parse(line)));
    started.once('close', () => {
      for (const { reject } of asked.splice(0)) reject(new Error('verify.py does not run'));
    });
    return started;
  };
  afterAll(async () => {
    if (!running) return;
    running.stdin.end();
    await once(running, 'close');
  });
  return (args, cwd = '.') => {
    running ??= start();
    running.stdin.write(`${JSON.stringify({ args, cwd })}\n`);
    return new Promise((resolve, reject) => asked.push({ resolve, reject }));
  };
}
