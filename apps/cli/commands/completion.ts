import { Argument, type Command } from 'commander';
import { print } from '../print.js';

/** All commands, with those loaded that are wanted. For commands that speak of the others. */
export type AllCommands = (wanted: (name: string) => boolean) => Promise<Command>;

/** Each asks `mvs completion words` what can follow the words so far; where nothing can, the shell offers files. */
const SCRIPTS = {
  bash: `_mvs() {
  local words
  words=$(mvs completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mvs mvs`,
  zsh: `#compdef mvs
_mvs() {
  local -a offered
  offered=(\${(f)"$(mvs completion words -- \${words[2,CURRENT-1]} 2>/dev/null)"})
  (( \${#offered} )) && compadd -- $offered
  _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _mvs mvs`,
  fish: `function __mvs
  set -l before (commandline -opc)
  mvs completion words -- $before[2..-1] 2>/dev/null
end
complete -c mvs -a '(__mvs)'`,
};
type Shell = keyof typeof SCRIPTS;

export function register(completion: Command, all: AllCommands): void {
  completion.addHelpText(
    'after',
    `
Examples:
  source <(mvs completion bash)        in ~/.bashrc
  source <(mvs completion zsh)         in ~/.zshrc
  mvs completion fish | source         in ~/.config/fish/config.fish`,
  );
  for (const shell of Object.keys(SCRIPTS) as Shell[])
    completion
      .command(shell)
      .description(`Print the script for ${shell}.`)
      .action(() => print(SCRIPTS[shell]));
  completion
    .command('words', { hidden: true })
    .addArgument(new Argument('[word...]', 'the words so far, without the one that is being typed'))
    .action(async (words: string[]) => {
      for (const word of offered(await all((name) => name === words[0]), words)) print(word);
    });
}

/** Words that can follow: commands and options, or the choices of an option that waits for its value. */
export function offered(program: Command, words: readonly string[]): string[] {
  let command = program;
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
  const waiting = command.options.find(({ long, short }) => [long, short].includes(words[words.length - 1]));
  if (waiting?.required) return waiting.argChoices ?? [];
  const help = command.createHelp();
  return [
    ...help.visibleCommands(command).map((one) => one.name()),
    ...help.visibleOptions(command).map(({ long, short }) => long ?? short ?? ''),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  ];
}
