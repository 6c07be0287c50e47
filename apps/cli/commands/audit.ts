import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isPopulation, prepareBundle } from '#audit/bundle';
import { lotDecisions, prepareLotsBundle } from '#audit/lots-bundle';
import { NoBundle, verifyBundle } from '#audit/unpack';
import { InvalidDecisions } from '#audit/valid-decisions';
import { zipOfPrepared } from '#audit/zip';
import { chainRoots } from '#calibration/chain';
import { upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import type { SealedReader } from '#kit/log/seal';
import { readEvents } from '#kit/log/stored-events';
import { lotModelIn } from '#science/lots/shipped';
import { escapeControls } from '#science/spectra/refusal';
import { Exit, InputError, UsageError } from '../exit.js';
import { exitWith, io } from '../io.js';
import { type LogOptions, withLogOptions, withReader } from '../logs.js';
import { print, printError } from '../print.js';

export function register(audit: Command): void {
  withLogOptions(audit.command('export'))
    .description(
      'Write the audit bundle of a population or a workspace out of the event log; a running service is not disturbed.',
    )
    .argument('<name>', 'of the population; with --workspace the prefix of the workspace’s token')
    .option('--workspace', 'the bundle of a workspace, with what the approvals of its lot scorer rest on')
    .option('--model <folder...>', 'folders of lot models that they rest on, beside the shipped ones')
    .option('--out <file>', 'write to this file, whole or not at all (default: a name of its own, in this folder)')
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  mvs audit export lab-a --out lab-a.zip\n  mvs audit export mvs_lots_0123456789abcdef --workspace',
    )
    .action(exportTo);
  withLogOptions(audit.command('root'))
    .description(
      'Print the chain root of the decisions about a population, or about a workspace’s lot scorer. Exits 1 if they do not continue an earlier one.',
    )
    .argument('<name>', 'of the population; with --workspace the prefix of the workspace’s token')
    .option('--workspace', 'the decisions about a workspace’s lot scorer')
    .option('--continues <root>', 'a chain root noted earlier', digest)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', '\nExamples:\n  mvs audit root lab-a\n  mvs audit root lab-a --continues 0f5c...')
    .action(printRoot);
  audit
    .command('verify')
    .description(
      'Recompute every approval of a bundle. Exits 0 and prints OK, 1 and what differs, 2 if it is no bundle.',
    )
    .argument('<file>', 'a bundle')
    .argument('[root]', 'the root digest to hold it to, as the history shows it', digest)
    .option('--key <key>', 'the public key that it has to be signed by, as a service shows it at /api/v1', digest)
    .option('--continues <root>', 'a chain root noted earlier, which its decisions have to continue', digest)
    .option('--json', 'print the answer as JSON')
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

interface Whose extends LogOptions {
  workspace?: true;
  json?: true;
}

/** As an answer names it: a population, or a workspace. */
const named = (name: string, { workspace }: Whose) => (workspace ? { workspace: name } : { population: name });

async function exportTo(name: string, options: Whose & { out?: string; model?: string[] }): Promise<void> {
  await withReader(
    options,
    async (reader) => {
      const {
        name: file,
        signedBy = null,
        zip,
        done,
      } = await prepared(reader, name, options).then(zipOfPrepared, (error) => {
        throw error instanceof InvalidDecisions ? new InputError(error.message) : error;
      });
      const { out = file } = options;
      const part = `${out}.part`;
      try {
        const [root] = await Promise.all([done, pipeline(zip, createWriteStream(part, { mode: 0o600, flush: true }))]);
        await rename(part, out);
        if (options.json) print(JSON.stringify({ ...named(name, options), file: out, root, signed_by: signedBy }));
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

async function prepared(reader: SealedReader, name: string, { workspace, model }: Whose & { model?: string[] }) {
  const { seals } = reader;
  if (workspace) return prepareLotsBundle({ reader, seals, id: workspaceOf(name), models: model?.map(lotModelIn) });
  if (model) throw new UsageError('--model is of lot models: give it with --workspace');
  await requirePopulation(reader, name);
  return prepareBundle({ reader, seals, population: name });
}

/** The id in a prefix of its token. */
function workspaceOf(prefix: string): string {
  const id = /^(?:mvs_lots_)?([0-9a-f]{16})$/.exec(prefix)?.[1];
  if (id === undefined)
    throw new InputError(`${prefix} is no prefix of a workspace’s token: mvs_lots_ and 16 hex digits`);
  return id;
}

async function requirePopulation(reader: EventReader, population: string): Promise<void> {
  if (!(await isPopulation(reader, population))) throw new InputError(`the log has no population ${population}`);
}

async function printRoot(name: string, options: Whose & { continues?: string }): Promise<void> {
  const { continues, json } = options;
  await withReader(options, async (reader) => {
    const roots = await rootsOf(reader, name, options);
    const root = roots[roots.length - 1];
    const sound = continues === undefined || roots.includes(continues);
    print(json ? JSON.stringify({ ...named(name, options), root, sound }) : root);
    if (sound) return;
    printError(`mvs: the decisions of ${name} do not continue ${continues}: their past is another`);
    exitWith(Exit.unsound);
  });
}

async function rootsOf(reader: EventReader, name: string, { workspace }: Whose): Promise<string[]> {
  if (workspace) {
    const found = await lotDecisions(reader, workspaceOf(name));
    if (!found) throw new InputError(`nobody decided about a lot scorer of the workspace ${name}`);
    return found.roots;
  }
  await requirePopulation(reader, name);
  return chainRoots(name, await readEvents(reader, streams.calibration(name)));
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
      io().stdout.write(escapeControls(says));
      io().stderr.write(escapeControls(remarks));
    }
    exitWith(code);
  } catch (error) {
    throw error instanceof NoBundle ? new InputError(`${file} is no audit bundle: ${error.message}`) : error;
  }
}
