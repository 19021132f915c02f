import { type Command, entryOf } from '../../command-line/command.ts';
import { set } from './set.ts';
import { view } from './view.ts';

export const kuberc: Command = {
  name: 'kuberc',
  short: 'Manage kuberc configuration files',
  long: [
    'Manage the preferences file: defaults of flags, aliases of commands, and the allowed credential plug-ins.',
    '',
    ' The program reads this file:',
    '',
    '  1.  With --kuberc, the file that the flag names.',
    '  2.  Otherwise the file in $ORCHRC (or in the usual variable of the field); "off" turns preferences off.',
    '  3.  Otherwise the file in the home folder.',
  ].join('\n'),
  examples: [
    '# Show your preferences',
    '{} kuberc view',
    '',
    '# Show more columns by default',
    '{} kuberc set --section defaults --command get --option output=wide',
    '',
    '# Define an alias for a command with arguments',
    '{} kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide',
  ].join('\n'),
  subcommands: [set, view].map(entryOf),
};
