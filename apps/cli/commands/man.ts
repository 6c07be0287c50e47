import { type Command, Help, type Option } from 'commander';
import { CALL_LISTING, CALL_SUMMARY, CLAIM_LISTING, FINDING_LISTING, type Parameters } from '#kit/views/listings';
import { EXIT_CODES } from '../exit.js';
import { print } from '../print.js';
import type { AllCommands } from './completion.js';

export function register(man: Command, all: AllCommands): void {
  man
    .option('--markdown', 'print it as Markdown')
    .addHelpText('after', '\nExamples:\n  mvs man | man -l -\n  mvs man > /usr/local/share/man/man1/mvs.1')
    .action(async ({ markdown }: { markdown?: true }) => {
      const program = await all(() => true);
      print(markdown ? markdownOf(program) : manualOf(program));
    });
}

/** Every command but `help`, parents first. */
function commandsOf(command: Command): Command[] {
  const own = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
  return own.flatMap((one) => [one, ...commandsOf(one)]);
}

function helpOfOne(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 100 }).outputHelp();
  return help.trimEnd();
}

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : '') + command.name();

/** In roff, as man reads it. */
function manualOf(program: Command): string {
  // A line that begins with a dot or a quote would be a request.
  const verbatim = (text: string) => {
    const plain = text.replace(/\\/g, '\\e').replace(/-/g, '\\-').replace(/^[.']/gm, '\\&$&');
    // A reader without UTF-8 would show other characters.
    return plain.replace(
      /[^ -~\n]/gu,
      (one) => `\\[u${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  };
  const sections = commandsOf(program).map(
    (command) => `.SH "${pathOf(command).toUpperCase()}"\n.nf\n${verbatim(helpOfOne(command))}\n.fi`,
  );
  const codes = EXIT_CODES.flatMap((meaning, code) => ['.TP', `.B ${code}`, verbatim(meaning)]);
  const name = `mvs \\- ${verbatim(program.description())}`;
  return ['.TH MVS 1', '.SH NAME', name, '.SH "EXIT STATUS"', ...codes, ...sections].join('\n');
}

/** They make and measure models, in a clone: the page names them, `--help` has their options. */
const OF_MODELS = [
  ...['simulate', 'train', 'calibrate', 'judge', 'members', 'pooling', 'report', 'gauges', 'holes', 'picture'],
  ...['lots simulate', 'lots train', 'lots usual', 'lots report', 'lots scorers'],
];
/** Commands whose filters are those of an endpoint. */
const LISTINGS: Record<string, [endpoint: string, filters: Parameters]> = {
  'mvs views claims': ['GET /api/v1/claims', CLAIM_LISTING],
  'mvs views findings': ['GET /api/v1/findings', FINDING_LISTING],
  'mvs views calls': ['GET /api/telemetry/events', CALL_LISTING],
  'mvs views telemetry': ['GET /api/telemetry/summary', CALL_SUMMARY],
};

function markdownOf(program: Command): string {
  const isOfModels = (command: Command) => OF_MODELS.some((name) => `${pathOf(command)} `.startsWith(`mvs ${name} `));
  const all = commandsOf(program);
  const shown = all.filter((command) => !isOfModels(command));
  const shared = sharedOptions(shown);
  const sections = shown.map((command) => sectionOf(command, shared));
  const others = all.filter((command) => isOfModels(command) && command.commands.length === 0);
  const codes = EXIT_CODES.map((meaning, code) => `| ${code} | ${meaning} |`).join('\n');
  return `# Commands

Printed by \`mvs man --markdown\`. \`--help\` prints the same of one command, with all its options.

| exit code | meaning |
|---|---|
${codes}

Options of several commands, which name them after *Also*:

${[...shared].map((line) => `- ${line}`).join('\n')}

${sections.join('\n')}
## Models

What makes and measures models, in a clone; \`--help\` has their options. [Laboratory](../laboratory/laboratory.md),
[training](../laboratory/training.md) and [simulators](../laboratory/simulator.md) show their use.

${others.map((command) => `- \`${pathOf(command)}\`: ${command.description()}`).join('\n')}
`;
}

/** Without what stands elsewhere on the page: shared options, a group's commands, and what every command has. */
function sectionOf(command: Command, shared: Set<string>): string {
  const path = pathOf(command);
  const [endpoint, filters] = LISTINGS[path] ?? ['', {}];
  const isFilter = ({ long }: Option) =>
    Object.keys(filters).some((name) => long?.replace(/^--(no-)?/, '') === name.replaceAll('_', '-'));
  const isElsewhere = (option: Option) => isFilter(option) || shared.has(lineOf(option));
  command.helpOption(false).helpCommand(false);
  command.configureHelp({
    visibleCommands: () => [],
    visibleOptions: (of) =>
      Help.prototype.visibleOptions.call(command.createHelp(), of).filter((one) => !isElsewhere(one)),
  });
  const flags = (options: Option[]) => options.map(({ long, flags }) => `\`${long ?? flags}\``).join(', ');
  const visible = command.options.filter(({ hidden }) => !hidden);
  const also = flags(visible.filter((option) => !isFilter(option) && shared.has(lineOf(option))));
  const asked = flags(visible.filter(isFilter));
  return [
    `## ${path}\n\n\`\`\`text\n${helpOfOne(command).replace(/^Usage: [\w -]+( \[options\])?\n\n/, '')}\n\`\`\`\n`,
    asked && `Filters, as \`${endpoint}\` has them (\`/api/v1/docs\`): ${asked}.\n`,
    also && `Also: ${also}.\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const lineOf = (option: Option): string => `\`${option.flags}\`: ${new Help().optionDescription(option)}`;

/** Lines of options that at least three commands have; where options of one name have several such lines, the most frequent one. */
function sharedOptions(commands: Command[]): Set<string> {
  const lines = commands.flatMap(({ options }) => options.filter(({ hidden }) => !hidden).map(lineOf));
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  const chosen = new Map<string, string>();
  for (const [line, count] of [...times].sort())
    if (count >= 3 && count > (times.get(chosen.get(nameOf(line)) ?? '') ?? 0)) chosen.set(nameOf(line), line);
  return new Set(chosen.values());
}

const nameOf = (line: string): string => line.split(/[ `]/)[1];
