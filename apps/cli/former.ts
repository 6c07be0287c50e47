import { type Command, Option } from 'commander';

/** Takes an option's former name for one release: it is hidden, and read as the present one. */
export function withFormer(command: Command, former: string, present: string): Command {
  const now = command.options.find(({ long }) => long === present);
  if (!now) throw new Error(`${command.name()} has no option ${present}`);
  const then = new Option(now.flags.replace(present, former)).hideHelp();
  if (now.argChoices) then.choices(now.argChoices);
  else if (now.parseArg) then.argParser(now.parseArg);
  command.addOption(then);
  return command.on(`option:${then.name()}`, () =>
    command.setOptionValue(now.attributeName(), command.getOptionValue(then.attributeName())),
  );
}
