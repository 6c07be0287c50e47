#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '#config/error';
import { unknownNames } from '#config/names';
import { packageVersion } from '#config/version';
import { escapeControls, Refusal } from '#science/spectra/refusal';
import { addCommands } from './commands.js';
import { EXIT_CODES, Exit, InputError, isOfFileSystem, oneSentence, UsageError } from './exit.js';
import { printError } from './print.js';

const program = new Command('mvs')
  .description('Decides from infrared scans whether a polished stone came out of a claimed rough.')
  .version(packageVersion())
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(escapeControls(text)) });
// Loading all of them costs a second.
const args = process.argv.slice(2);
const [first, second] = args.filter((word) => !word.startsWith('-'));
const wanted = first === 'help' ? second : first;
await addCommands(program, (name) => name === wanted);
program.addHelpText(
  'after',
  `
Exit codes:
${EXIT_CODES.map((meaning, code) => `  ${code}  ${meaning}`).join('\n')}

Examples:
  mvs verify --rough S1_rough_*.csv --polish S1_polish_1.csv
  mvs inspect S1_rough_1.csv --plot S1.svg
  mvs simulate --out pairs --stones 100
  mvs evaluate pairs/`,
);

// A reader that closes the pipe early (head) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : Exit.fault));

for (const sentence of unknownNames(process.env)) printError(`mvs: ${sentence}`);

// Nothing is left to wait for, and the work is not done: Node would end without a word.
const unfinished = () => {
  printError('mvs: the command ended before its work was done');
  process.exit(Exit.fault);
};
process.once('beforeExit', unfinished);
try {
  const isNone = wanted !== undefined && program.commands.every((command) => command.name() !== wanted);
  // Help for a command that there is none of is refused as the command itself, with the name that may have been meant.
  await program.parseAsync(first === 'help' && isNone ? [wanted] : args, { from: 'user' });
} catch (error) {
  process.exitCode = exitCodeOf(error);
} finally {
  process.off('beforeExit', unfinished);
}

function exitCodeOf(error: unknown): number {
  // commander has printed its own sentence.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : Exit.usage;
  printError(`mvs: ${oneSentence(error)}`);
  if (error instanceof UsageError || error instanceof ConfigurationError || isOfFileSystem(error)) return Exit.usage;
  if (error instanceof InputError) return Exit.refused;
  // A calibration that does not fit the model is the installation's fault, not the input's.
  return error instanceof Refusal && error.kind !== 'asset' ? Exit.refused : Exit.fault;
}
