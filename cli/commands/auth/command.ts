import { type Command, entryOf } from '../../command-line/command.ts';
import { canI } from './can-i.ts';
import { reconcile } from './reconcile.ts';
import { whoAmI } from './who-am-i.ts';

export const auth: Command = {
  name: 'auth',
  short: 'Inspect authorization',
  long: 'Inspect authorization.',
  usage: '[flags]',
  needsSubcommand: true,
  subcommands: [canI, reconcile, whoAmI].map(entryOf),
};
