import type { Command } from '../../command-line/command.ts';
import { flagsHelp } from '../../command-line/help.ts';
import { globalFlags } from '../../framework/global-flags.ts';

export const options: Command = {
  name: 'options',
  short: 'List the flags that every command takes',
  examples: '# List the flags\n{} options',
  run: async ({ io }) => {
    io.out.write(`The following options can be passed to any command:\n\n${flagsHelp(globalFlags)}\n`);
  },
};
