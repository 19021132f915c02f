import type { Command } from '../../command-line/command.ts';
import { type Mark, markFlags, markObjects } from '../../write/mark-objects.ts';

const mark: Mark = {
  ...{ field: 'annotations', one: 'annotation', file: 'rsrc', manager: '-annotate' },
  done: { set: 'annotated', removed: 'annotated', unchanged: 'annotated' },
  reportsMissing: false,
  taken: (keys) =>
    `--overwrite is false but found the following declared annotation(s): ${keys.map(([key, value]) => `'${key}' already has a value (${value})`).join('; ')}`,
};

export const annotate: Command = {
  name: 'annotate',
  short: 'Update the annotations on a resource',
  long: 'Update the annotations on one or more resources.\n\n The value of an annotation can be any text. Keys have the same form as keys of labels. KEY- removes an annotation.',
  examples:
    "# Set an annotation\n{} annotate pods web description='the front'\n\n# Remove it\n{} annotate pods web description-",
  usage: '[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]',
  flags: markFlags(mark),
  run: (invocation) => markObjects(invocation, mark),
};
