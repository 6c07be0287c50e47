import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '#config/error';
import { unknownNames } from '#config/names';
import { packageVersion } from '#config/version';
import { escapeControls, Refusal } from '#science/spectra/refusal';
import { addCommands } from './commands.js';
import { EXIT_CODES, Exit, InputError, isOfFileSystem, oneSentence, UsageError } from './exit.js';
import { type Io, withIo } from './io.js';
import { printError } from './print.js';

/**
 * Runs one command of `mvs`.
 * @param args as in `process.argv`, without program and script
 * @returns the exit code, one of `EXIT_CODES`
 */
export const run = (args: readonly string[], given: Omit<Io, 'exitCode'>): Promise<number> => {
  const io = { ...given, exitCode: 0 };
  return withIo(io, async () => {
    for (const sentence of unknownNames(io.env)) printError(`mvs: ${sentence}`);
    try {
      await parse(args, io);
      return io.exitCode;
    } catch (error) {
      return exitCodeOf(error);
    }
  });
};

async function parse(args: readonly string[], io: Io): Promise<void> {
  const program = new Command('mvs')
    .description('Decides from infrared scans whether a polished stone came out of a claimed rough.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(escapeControls(text)),
    });
  // Loading all of them costs a second.
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
  mvs audit verify lab-a.zip`,
  );
  const isNone = wanted !== undefined && program.commands.every((command) => command.name() !== wanted);
  // Help for a command that there is none of is refused as the command itself, with the name that may have been meant.
  await program.parseAsync(first === 'help' && isNone ? [wanted] : args, { from: 'user' });
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
