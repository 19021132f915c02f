import type { Command } from '../frame/command.ts';
import { globalFlags } from '../frame/global-flags.ts';
import { flagsHelp } from '../frame/help.ts';

export const options: Command = {
  name: 'options',
  short: 'List the flags that every command takes',
  examples: '# List them\n{} options',
  run: async ({ io }) => {
    io.out.write(`The following options can be passed to any command:\n\n${flagsHelp(globalFlags)}\n`);
  },
};
