import { type Command, entryOf } from '../../command-line/command.ts';
import { topNode } from './nodes.ts';
import { topPod } from './pods.ts';

export const top: Command = {
  name: 'top',
  short: 'Display resource (CPU/memory) usage',
  long: 'Display how much processor time and memory nodes or pods use.\n\n An extension server must serve the metrics.',
  usage: '[flags]',
  needsSubcommand: true,
  subcommands: [topNode, topPod].map(entryOf),
};
