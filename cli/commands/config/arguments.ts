import type { Invocation } from '../../command-line/command.ts';
import { commandHelp } from '../../command-line/help.ts';
import { CommandError } from '../../framework/errors.ts';

/** The arguments, if there are exactly `many`. Otherwise shows the help and throws a CommandError. */
export function exactly(
  { args, command, io, path }: Invocation,
  many: number,
  mistake = 'Unexpected args',
): readonly string[] {
  if (args.length === many) return args;
  io.out.write(commandHelp(command, path));
  throw new CommandError(`${mistake}: [${args.join(' ')}]`);
}
