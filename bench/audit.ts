import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { prepareBundle } from '#audit/bundle';
import { POPULATION, writeLog } from '#audit/test/population';
import { VERIFIER } from '#audit/writing';
import { upcast } from '#catalogue/upcast';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { program } from '../test/programs.js';

const MVS = program('mvs');
const SIZES = [1000, Number(process.env.MVS_BENCH_CLAIMS ?? 10_000)];
const TICKS_A_SECOND = 100;
const POLL_MILLISECONDS = 50;

/** Costs of exporting and of verifying a bundle, each in its own process. Only Linux reports a process's memory. */
export async function run(): Promise<void> {
  console.log(`Node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}\n`);
  console.log('| claims | what | seconds | processor seconds | resident MiB at most |\n|---:|---|---:|---:|---:|');
  for (const claims of SIZES) {
    const folder = mkdtempSync(join(tmpdir(), 'mvs-bench-audit-'));
    const at = (name: string) => join(folder, name);
    try {
      await writeLog(at('log'), claims);
      const line = async (what: string, program: string, args: string[]) => {
        const { wall, processor, mebibytes } = await measured(program, args, at('bundle'));
        console.log(`| ${claims} | ${what} | ${wall.toFixed(1)} | ${processor.toFixed(1)} | ${mebibytes.toFixed(0)} |`);
      };
      await unpackedBundle(at('log'), at('bundle'));
      await line('mvs audit export', process.execPath, [
        ...[MVS, 'audit', 'export', POPULATION],
        ...['--data', at('log'), '--out', at('bundle.zip')],
      ]);
      await line('mvs audit verify', process.execPath, [MVS, 'audit', 'verify', at('bundle.zip')]);
      await line('verify.mjs', process.execPath, [VERIFIER]);
      await line('verify.py', '/usr/bin/python3', [join(dirname(VERIFIER), 'verify.py')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function unpackedBundle(log: string, folder: string): Promise<void> {
  const reader = openSqliteEventReader({ directory: log, upcast });
  const { write } = await prepareBundle({ reader, population: POPULATION, seals: undefined });
  await write(async (path, pieces) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    await pipeline(pieces, createWriteStream(join(folder, path)));
  });
  await reader.close();
}

/** @throws Error where the program fails */
async function measured(program: string, args: string[], cwd: string) {
  const began = performance.now();
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'ignore'] });
  let [processor, mebibytes] = [0, 0];
  const poll = setInterval(() => {
    try {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      processor = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
      const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      mebibytes = Math.max(mebibytes, Number(kibibytes ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }, POLL_MILLISECONDS);
  const [code] = await once(child, 'close');
  clearInterval(poll);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
  return { wall: (performance.now() - began) / 1000, processor, mebibytes };
}
