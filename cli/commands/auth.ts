import { canI } from '../access/can-i.ts';
import { reconcile } from '../access/reconcile.ts';
import { whoAmI } from '../access/who-am-i.ts';
import { type Command, entryOf } from '../frame/command.ts';

export const auth: Command = {
  name: 'auth',
  short: 'Inspect authorization',
  long: 'Inspect authorization.',
  usage: '[flags]',
  needsSubcommand: true,
  subcommands: [canI, reconcile, whoAmI].map(entryOf),
};
