/** The laboratory's commands, where the laboratory is: in a clone, not in the image. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { UsageError } from './exit.js';

const LAB = new URL('../../lab/commands/index.js', import.meta.url);
/** The same of `mvs lots`. */
const OF_LOTS = ['simulate', 'train', 'report'];
const COMMANDS = ['calibrate', 'train', 'simulate', 'picture', 'gauges', 'holes', 'judge', 'report'];

export async function registerLab(program: Command): Promise<void> {
  if (existsSync(fileURLToPath(LAB))) {
    const lab: { register(program: Command): void } = await import(LAB.href);
    lab.register(program);
    return;
  }
  const lots = program.commands.find((command) => command.name() === 'lots') ?? program;
  for (const [parent, name] of [
    ...COMMANDS.map((name) => [program, name] as const),
    ...OF_LOTS.map((name) => [lots, name] as const),
  ]) {
    parent
      .command(name, { hidden: true })
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new UsageError(`${name} makes models and pages: run it from a clone of the project, not from the image`);
      });
  }
}
