import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isPopulation, NoBundle, NotObeyed, verifyBundle, zipBundle } from '#audit';
import { upcast } from '#domain';
import { InputError } from '../exit.js';
import { type LogOptions, withLogOptions, withReader } from '../logs.js';
import { print } from '../print.js';

export function register(program: Command): void {
  const audit = program
    .command('audit')
    .description("Write what a population's approvals rest on into one file, and verify such a file.")
    .addHelpText(
      'after',
      `
Examples:
  mvs audit export lab-a --out lab-a.zip
  mvs audit verify lab-a.zip
  mvs audit verify lab-a.zip --continues 0f5c...  (a chain root from an earlier history)`,
    );
  withLogOptions(audit.command('export'))
    .description("Write a population's audit bundle out of the event log; a running service is not disturbed.")
    .argument('<population>', 'its name')
    .requiredOption('--out <file>', 'write to this file, whole or not at all')
    .action(exportTo);
  audit
    .command('verify')
    .description('Recompute every approval of a bundle. Exits 0 and prints OK, 1 and what differs, 2 if it is none.')
    .argument('<file>', 'a bundle')
    .argument('[root]', 'the root digest to hold it to, as the history shows it', digest)
    .option('--continues <root>', 'a chain root noted earlier, which its decisions have to continue', digest)
    .action(verify);
}

function digest(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('It is 64 hex digits.');
  return text.toLowerCase();
}

async function exportTo(population: string, options: LogOptions & { out: string }): Promise<void> {
  const { out } = options;
  const part = `${out}.part`;
  await withReader(
    options,
    async (reader) => {
      if (!(await isPopulation(reader, population))) throw new InputError(`the log has no population ${population}`);
      const { zip, done } = await zipBundle({ reader, population }).catch((error) => {
        throw error instanceof NotObeyed ? new InputError(error.message) : error;
      });
      try {
        const [root] = await Promise.all([done, pipeline(zip, createWriteStream(part, { mode: 0o600, flush: true }))]);
        await rename(part, out);
        print(`Wrote ${out}, root digest ${root}`);
      } catch (error) {
        await rm(part, { force: true });
        const { syscall, message } = error as NodeJS.ErrnoException;
        throw syscall === undefined ? error : new InputError(`${out} cannot be written: ${message}`);
      }
    },
    upcast,
  );
}

async function verify(file: string, root: string | undefined, { continues }: { continues?: string }): Promise<void> {
  try {
    const report = (line: string) => process.stderr.write(`${line}\n`);
    const { code, says, remarks } = await verifyBundle(file, { root, continues, report });
    process.stdout.write(says);
    process.stderr.write(remarks);
    process.exitCode = code;
  } catch (error) {
    throw error instanceof NoBundle ? new InputError(`${file} is no audit bundle: ${error.message}`) : error;
  }
}
