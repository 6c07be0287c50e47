/** Bundles of populations that had scorers of their own, and what the verifiers that read files say of them. */
import { execFile, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { upcast } from '#catalogue/upcast';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { verifyBundle } from '../unpack.js';
import { VERIFIER } from '../writing.js';
import { zipBundle } from '../zip.js';
import { SCORED, type Size, writeScored } from './scored.js';

const PYTHON = '/usr/bin/python3';
const SECOND = join(dirname(VERIFIER), 'verify.py');
const numpyIsHere = spawnSync(PYTHON, ['-c', 'import numpy']).status === 0;
const withPython = numpyIsHere || process.env.MVS_REQUIRE_SERVICES === '1';
/** Of each verifier that is here. */
export const ALL = (code: number) => Array.from({ length: withPython ? 2 : 1 }, () => code);

/** Writes the log and its bundle into a folder. @returns the bundle's file */
export async function exported(place: string, name: string, size: Size): Promise<string> {
  await writeScored(join(place, name), size);
  const reader = openSqliteEventReader({ directory: join(place, name), upcast });
  const file = join(place, `${name}.zip`);
  const { zip, done } = await zipBundle({ reader, population: SCORED, seals: undefined });
  await Promise.all([done, pipeline(zip, createWriteStream(file))]);
  await reader.close();
  return file;
}

const run = (program: string, args: string[]) =>
  new Promise<{ code: number; says: string }>((resolve) => {
    execFile(program, args, (error, out, errors) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, says: `${out}${code === 0 ? '' : errors}` });
    });
  });
/** Of the service's own verifier, which verify.mjs is, and of verify.py. */
export const verdicts = async (path: string) => {
  const said = await Promise.all([verifyBundle(path), ...(withPython ? [run(PYTHON, [SECOND, path])] : [])]);
  return { codes: said.map(({ code }) => code), says: said.map(({ says }) => says) };
};
