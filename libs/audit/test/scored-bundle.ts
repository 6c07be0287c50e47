/** Bundles of populations that had scorers of their own, and what the verifiers that read files say of them. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { upcast } from '#catalogue/upcast';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { prepareBundle } from '../bundle.js';
import { verifyBundle } from '../unpack.js';
import { zipOfPrepared } from '../zip.js';
import { SCORED, type Size, writeScored } from './scored.js';
import { secondVerifier, withPython } from './second-verifier.js';

/** Of each verifier that is here. */
export const ALL = (code: number) => Array.from({ length: withPython ? 2 : 1 }, () => code);

/** Writes the log and its bundle into a folder. @returns the bundle's file */
export async function exported(place: string, name: string, size: Size): Promise<string> {
  await writeScored(join(place, name), size);
  const reader = openSqliteEventReader({ directory: join(place, name), upcast });
  const file = join(place, `${name}.zip`);
  const { zip, done } = await zipOfPrepared(await prepareBundle({ reader, population: SCORED, seals: undefined }));
  await Promise.all([done, pipeline(zip, createWriteStream(file))]);
  await reader.close();
  return file;
}

/** To be called at the top of a suite: of a bundle, what the service's own verifier, which verify.mjs is, and verify.py say. */
export function bothVerifiers() {
  const second = secondVerifier();
  return async (path: string) => {
    const own = await verifyBundle(path);
    if (!withPython) return { codes: [own.code], says: [own.says] };
    const { code, out, error } = await second([path]);
    return { codes: [own.code, code], says: [own.says, `${out}${code === 0 ? '' : error}`] };
  };
}
