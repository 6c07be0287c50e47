import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isPopulation } from '#audit/bundle';
import { NotObeyed } from '#audit/obeyed';
import { NoBundle, verifyBundle } from '#audit/unpack';
import { zipBundle } from '#audit/zip';
import { chainRoots } from '#calibration/chain';
import { upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { escapeControls } from '#science/spectra/refusal';
import { Exit, InputError, UsageError } from '../exit.js';
import { type LogOptions, withLogOptions, withReader } from '../logs.js';
import { print, printError } from '../print.js';

export function register(audit: Command): void {
  withLogOptions(audit.command('export'))
    .description("Write a population's audit bundle out of the event log; a running service is not disturbed.")
    .argument('<population>', 'its name')
    .option('--out <file>', 'write to this file, whole or not at all (default: a name of its own, in this folder)')
    .option('--json', 'print file and root as an object')
    .addHelpText('after', '\nExample:\n  mvs audit export lab-a --out lab-a.zip')
    .action(exportTo);
  withLogOptions(audit.command('root'))
    .description("Print the chain root of a population's decisions. Exits 1 if they do not continue an earlier one.")
    .argument('<population>', 'its name')
    .option('--continues <root>', 'a chain root noted earlier', digest)
    .option('--json', 'print population, root and whether it continues as an object')
    .addHelpText('after', '\nExamples:\n  mvs audit root lab-a\n  mvs audit root lab-a --continues 0f5c...')
    .action(printRoot);
  audit
    .command('verify')
    .description('Recompute every approval of a bundle. Exits 0 and prints OK, 1 and what differs, 2 if it is none.')
    .argument('<file>', 'a bundle')
    .argument('[root]', 'the root digest to hold it to, as the history shows it', digest)
    .option('--key <key>', 'the public key that it has to be signed by, as a service shows it at /api/v1', digest)
    .option('--continues <root>', 'a chain root noted earlier, which its decisions have to continue', digest)
    .option('--json', 'print the outcome as an object')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs audit verify lab-a.zip\n  mvs audit verify lab-a.zip --continues 0f5c...  (a chain root from an earlier history)',
    )
    .action(verify);
}

function digest(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('It is 64 hex digits.');
  return text.toLowerCase();
}

async function exportTo(population: string, options: LogOptions & { out?: string; json?: true }): Promise<void> {
  await withReader(
    options,
    async (reader) => {
      await requirePopulation(reader, population);
      const {
        name,
        signedBy = null,
        zip,
        done,
      } = await zipBundle({ reader, seals: reader.seals, population }).catch((error) => {
        throw error instanceof NotObeyed ? new InputError(error.message) : error;
      });
      const { out = name } = options;
      const part = `${out}.part`;
      try {
        const [root] = await Promise.all([done, pipeline(zip, createWriteStream(part, { mode: 0o600, flush: true }))]);
        await rename(part, out);
        if (options.json) print(JSON.stringify({ population, file: out, root, signed_by: signedBy }));
        else print(`Wrote ${out}, root digest ${root}\n${signedBy ? `Signed by ${signedBy}` : 'Not signed'}`);
      } catch (error) {
        await rm(part, { force: true });
        const { syscall, message } = error as NodeJS.ErrnoException;
        throw syscall === undefined ? error : new UsageError(`${out} cannot be written: ${message}`);
      }
    },
    { upcast },
  );
}

async function requirePopulation(reader: EventReader, population: string): Promise<void> {
  if (!(await isPopulation(reader, population))) throw new InputError(`the log has no population ${population}`);
}

async function printRoot(population: string, options: LogOptions & { continues?: string; json?: true }): Promise<void> {
  const { continues, json } = options;
  await withReader(options, async (reader) => {
    await requirePopulation(reader, population);
    const roots = chainRoots(population, await reader.readStream(streams.calibration(population)));
    const root = roots[roots.length - 1];
    const sound = continues === undefined || roots.includes(continues);
    print(json ? JSON.stringify({ population, root, sound }) : root);
    if (sound) return;
    printError(`mvs: the decisions of ${population} do not continue ${continues}: their past is another`);
    process.exitCode = Exit.unsound;
  });
}

async function verify(
  file: string,
  root: string | undefined,
  { key, continues, json }: { key?: string; continues?: string; json?: true },
): Promise<void> {
  try {
    const {
      code,
      says,
      remarks,
      signed_by = null,
    } = await verifyBundle(file, { root, key, continues, report: printError });
    const lines = (text: string) => text.split('\n').filter(Boolean);
    if (json) print(JSON.stringify({ file, sound: code === 0, says: lines(says), remarks: lines(remarks), signed_by }));
    else {
      process.stdout.write(escapeControls(says));
      process.stderr.write(escapeControls(remarks));
    }
    process.exitCode = code;
  } catch (error) {
    throw error instanceof NoBundle ? new InputError(`${file} is no audit bundle: ${error.message}`) : error;
  }
}
