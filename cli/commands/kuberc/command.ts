import { type Command, entryOf } from '../../command-line/command.ts';
import { set } from './set.ts';
import { view } from './view.ts';

export const kuberc: Command = {
  name: 'kuberc',
  short: 'Manage kuberc configuration files',
  long: [
    'Manage the file of what you prefer: other defaults of flags, aliases of commands, and which programs may be run to get credentials.',
    '',
    ' Which file this is:',
    '',
    '  1.  With --kuberc that one.',
    '  2.  Else the one that $ORCHRC (or the variable of the field) names; "off" turns preferences off.',
    '  3.  Else the one in the home folder.',
  ].join('\n'),
  examples: [
    '# What you prefer',
    '{} kuberc view',
    '',
    '# Show more columns by default',
    '{} kuberc set --section defaults --command get --option output=wide',
    '',
    '# Another word for a command with some of its arguments',
    '{} kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide',
  ].join('\n'),
  subcommands: [set, view].map(entryOf),
};
