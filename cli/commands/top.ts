import { type Command, entryOf } from '../frame/command.ts';
import { topNode } from '../top/nodes.ts';
import { topPod } from '../top/pods.ts';

export const top: Command = {
  name: 'top',
  short: 'Display resource (CPU/memory) usage',
  long: 'Display how much processor time and memory nodes or pods use.\n\n An extension server must serve the metrics.',
  usage: '[flags]',
  needsSubcommand: true,
  subcommands: [topNode, topPod].map(entryOf),
};
