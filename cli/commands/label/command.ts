import type { Command } from '../../command-line/command.ts';
import { type Mark, markFlags, markObjects } from '../../write/mark-objects.ts';

const mark: Mark = {
  ...{ field: 'labels', one: 'label', file: 'pod', manager: '-label' },
  done: { set: 'labeled', removed: 'unlabeled', unchanged: 'not labeled' },
  reportsMissing: true,
  taken: (keys) => `'${keys[0]![0]}' already has a value (${keys[0]![1]}), and --overwrite is false`,
};

export const label: Command = {
  name: 'label',
  short: 'Update the labels on a resource',
  long: 'Update the labels on a resource.\n\n A label key and value must begin with a letter or number, and may contain letters, numbers, hyphens, dots, and underscores, up to 63 characters each. A key may have a prefix, a DNS name and a slash. KEY- removes a label.',
  examples:
    '# Set a label, and change its value\n{} label pods web tier=front\n{} label --overwrite pods web tier=back\n\n# Remove it\n{} label pods web tier-',
  usage: '[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]',
  flags: markFlags(mark),
  run: (invocation) => markObjects(invocation, mark),
};
