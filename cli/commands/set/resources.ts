import { canonicalQuantity } from '#schema/values/quantity.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { labelSelectorFlag } from '../../resources/flags.ts';
import { recordFlag } from '../../write/change-cause.ts';
import { changeObjects, setFlags } from './change-objects.ts';
import { chosenContainers, containersFlag, podSpecOf } from './containers.ts';

export const setResources: Command = {
  name: 'resources',
  short: 'Update resource requests/limits on objects with pod templates',
  long: 'Set the resource requests and limits of containers.',
  examples: [
    '# Set the limits of one container, and the requests of all containers',
    '{} set resources deployment/web -c=web --limits=cpu=200m,memory=512Mi',
    '{} set resources deployment/web --requests=cpu=100m,memory=256Mi',
  ].join('\n'),
  usage: '(-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]',
  flags: [
    ...setFlags,
    recordFlag,
    containersFlag,
    { name: 'limits', type: 'string', help: 'Resource limits: cpu=100m,memory=256Mi' },
    { name: 'requests', type: 'string', help: 'Resource requests: cpu=100m,memory=256Mi' },
    labelSelectorFlag,
  ],
  run: async (invocation) => {
    const { args, flags } = invocation;
    const pattern = flags.text('containers');
    return changeObjects(invocation, args, {
      done: 'resource requirements updated',
      failure: 'failed to patch resources update to pod template',
      begin: () => {
        if (flags.text('limits') === '' && flags.text('requests') === '')
          throw new CommandError(
            'you must specify an update to requests or limits (in the form of --requests/--limits)',
          );
        quantities(flags.text('limits'));
        quantities(flags.text('requests'));
      },
      apply: (object, one) => {
        const containers = chosenContainers(podSpecOf(object, one), pattern);
        if (containers.length === 0) throw new CommandError(`unable to find container named ${pattern}`);
        for (const container of containers)
          for (const field of ['limits', 'requests'] as const) {
            const given = quantities(flags.text(field));
            if (Object.keys(given).length === 0) continue;
            container.resources = { ...container.resources, [field]: { ...container.resources?.[field], ...given } };
          }
      },
    });
  },
};

/** @throws CommandError if the text is malformed */
function quantities(text: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const part of text === '' ? [] : text.split(',')) {
    const pieces = part.split('=');
    if (pieces.length !== 2) throw new CommandError(`Invalid argument syntax ${part}, expected <resource>=<value>`);
    try {
      result[pieces[0]!] = canonicalQuantity(pieces[1]!);
    } catch (error) {
      throw new CommandError((error as Error).message);
    }
  }
  return result;
}
