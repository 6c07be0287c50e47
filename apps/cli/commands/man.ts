import type { Command } from 'commander';
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

/** Every command with its help, parents first. */
function* helpOf(command: Command, path: string): Generator<{ path: string; help: string }> {
  for (const one of command.createHelp().visibleCommands(command)) {
    if (one.name() === 'help') continue;
    const name = `${path} ${one.name()}`;
    let help = '';
    one.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 100 }).outputHelp();
    yield { path: name, help: help.trimEnd() };
    yield* helpOf(one, name);
  }
}

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
  const sections = [...helpOf(program, program.name())].map(
    ({ path, help }) => `.SH "${path.toUpperCase()}"\n.nf\n${verbatim(help)}\n.fi`,
  );
  const codes = EXIT_CODES.flatMap((meaning, code) => ['.TP', `.B ${code}`, verbatim(meaning)]);
  const name = `mvs \\- ${verbatim(program.description())}`;
  return ['.TH MVS 1', '.SH NAME', name, '.SH "EXIT STATUS"', ...codes, ...sections].join('\n');
}

export function markdownOf(program: Command): string {
  const sections = [...helpOf(program, program.name())].map(
    ({ path, help }) => `## ${path}\n\n\`\`\`text\n${help}\n\`\`\`\n`,
  );
  const codes = EXIT_CODES.map((meaning, code) => `| ${code} | ${meaning} |`).join('\n');
  return `# Commands\n\nPrinted by \`mvs man --markdown\`.\n\n| exit code | meaning |\n|---|---|\n${codes}\n\n${sections.join('\n')}`;
}
