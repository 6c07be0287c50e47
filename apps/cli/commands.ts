/** All that `mvs` can do. Names and descriptions stand here alone, so that the help is printed without loading a command. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import type { AllCommands } from './commands/completion.js';
import { UsageError } from './exit.js';

interface Loaded {
  /** Adds arguments, options, subcommands and the action. */
  register(command: Command, all: AllCommands): void;
}

interface Entry {
  name: string;
  description: string;
  load: () => Promise<Loaded>;
}

/** The laboratory makes models and pages: a clone has it, the image has not. */
const LAB: Record<string, URL> = {
  adapt: new URL('../../lab/commands/adapt.js', import.meta.url),
  calibrate: new URL('../../lab/commands/calibrate.js', import.meta.url),
  evaluate: new URL('../../lab/commands/evaluate.js', import.meta.url),
  judge: new URL('../../lab/commands/judge.js', import.meta.url),
  lots: new URL('../../lab/commands/lots.js', import.meta.url),
  report: new URL('../../lab/commands/report.js', import.meta.url),
  simulate: new URL('../../lab/commands/simulate.js', import.meta.url),
  train: new URL('../../lab/commands/train.js', import.meta.url),
};
const hasLab = existsSync(fileURLToPath(LAB.simulate));

const own = (name: string, description: string, load: Entry['load']): Entry => ({ name, description, load });
const ofLab = (name: string, description: string): Entry => ({ name, description, load: () => loadOfLab(name) });

const LOTS_OF_LAB = ['simulate', 'train', 'report'];

const GROUPS: [string, Entry[]][] = [
  [
    'Claims:',
    [
      own(
        'verify',
        'Say whether a polish came out of the claimed rough. Exits 0 on MATCH, 1 on NO_MATCH, 2 on refused input.',
        () => import('./commands/verify.js'),
      ),
      own(
        'inspect',
        'Show what is read from scan files, or why they are refused. Exits 2 where any is refused.',
        () => import('./commands/inspect.js'),
      ),
      own(
        'submit',
        'Send the pairs of a folder as claims and write a table of answers. Exits 2 where a claim was refused, 4 where some are left.',
        () => import('./commands/submit.js'),
      ),
      own(
        'claim',
        'Read a claim of a key from the service: the stored answer, its label, and what a review came to.',
        () => import('./commands/claim.js'),
      ),
      own('receipt', 'Verify the receipt of a verdict, offline.', () => import('./commands/receipt.js')),
      own(
        'vendor',
        "The vendor's stone lookups. Needs MVS_VENDOR_URL and MVS_VENDOR_KEY (or MVS_VENDOR_KEY_FILE).",
        () => import('./commands/vendor.js'),
      ),
      own(
        'json',
        'Show JSON from the standard input as a block that a person can read, or only some of its members.',
        () => import('./commands/json.js'),
      ),
    ],
  ],
  ['Lots:', [own('lots', 'Lots of small polished stones: which of those that return are members?', loadLots)]],
  [
    'Audit:',
    [
      own(
        'audit',
        "Write what a population's approvals rest on into one file, and verify such a file.",
        () => import('./commands/audit.js'),
      ),
    ],
  ],
  [
    'Log:',
    [
      own(
        'events',
        'Look into the event log, copy it and check it; a running service is not disturbed.',
        () => import('./commands/events.js'),
      ),
      own(
        'views',
        'Rebuild the read models up to any moment, copy them and compare them.',
        () => import('./commands/views.js'),
      ),
    ],
  ],
  [
    'Laboratory:',
    [
      ofLab(
        'simulate',
        'Write the scans of simulated stones into a folder: <stone>_rough_<n> and <stone>_polish_<n>, or <stone>.json.',
      ),
      ofLab('train', "Train a model on simulated stones, or on a laboratory's own pairs."),
      ofLab(
        'calibrate',
        'Make the calibration asset of a model: ladder, probability curve and baselines, from simulated stones.',
      ),
      ofLab(
        'evaluate',
        "Measure the ladder on a folder of pairs: as shipped, and with thresholds set on the folder's own pairs.",
      ),
      ofLab('adapt', "Fit a population's own scorer to a folder of pairs, as the service fits one to counted claims."),
      ofLab(
        'judge',
        'Say what models do on stones without thresholds of their own, and after a population’s first claims.',
      ),
      ofLab('report', 'Measure the shipped model on simulated stones; write figures and tables of them.'),
    ],
  ],
  [
    'This program:',
    [
      own(
        'completion',
        'Print what makes a shell complete commands and options: bash, zsh or fish.',
        () => import('./commands/completion.js'),
      ),
    ],
  ],
];

/** Names all commands to the program, and loads those that are wanted. */
export async function addCommands(program: Command, wanted: (name: string) => boolean): Promise<Command> {
  const all: AllCommands = (some) => addCommands(new Command(program.name()).description(program.description()), some);
  for (const [group, entries] of GROUPS) {
    program.commandsGroup(group);
    for (const { name, description, load } of entries) {
      const hidden = !hasLab && group === 'Laboratory:';
      const command = program.command(name, { hidden }).description(description);
      if (wanted(name)) (await load()).register(command, all);
    }
  }
  return program;
}

async function loadOfLab(name: string): Promise<Loaded> {
  return hasLab ? import(LAB[name].href) : { register: (command) => refuseOutsideClone(command) };
}

async function loadLots(): Promise<Loaded> {
  const service = await import('./commands/lots.js');
  const lab = hasLab ? await loadOfLab('lots') : undefined;
  return {
    register(lots, all) {
      service.register(lots);
      if (lab) lab.register(lots, all);
      else for (const name of LOTS_OF_LAB) refuseOutsideClone(lots.command(name, { hidden: true }));
    },
  };
}

function refuseOutsideClone(command: Command): void {
  command
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      const name = command.name();
      throw new UsageError(`${name} makes models and pages: run it from a clone of the project, not from the image`);
    });
}
