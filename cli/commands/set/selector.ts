import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { selectorObject } from '../../manifests/label-selector.ts';
import { recordFlag } from '../../write/change-cause.ts';
import { changeObjects, setFlags } from './change-objects.ts';

export const setSelector: Command = {
  name: 'selector',
  short: 'Set the selector on a resource',
  long: 'Set the selector on a resource. The new selector replaces the old one. Only selectors of services can be set.',
  examples: '# Set the pods of a service\n{} set selector service/web app=web,tier=front',
  usage: '(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]',
  flags: [
    recordFlag,
    ...setFlags
      .map((flag) => (flag.name === 'recursive' ? { ...flag, default: true } : flag))
      .filter(({ name }) => name !== 'kustomize'),
    { name: 'resource-version', type: 'string', help: 'Change the object only if it has this resource version' },
  ],
  run: async (invocation) => {
    const { args, flags } = invocation;
    const text = args.at(-1);
    if (text === undefined) throw new CommandError('one selector is required');
    const { labels, others } = readSelector(text);
    const version = flags.text('resource-version');
    if (version !== '' && (args.length > 2 + (args[0]!.includes('/') ? 0 : 1) || flags.bool('all')))
      throw new CommandError('--resource-version may only be used with a single resource');
    return changeObjects(invocation, args.slice(0, -1), {
      done: 'selector updated',
      failure: '',
      always: true,
      apply: (object, { type }) => {
        if (type.kind !== 'Service' || type.group !== '')
          throw new CommandError('setting a selector is only supported for Services');
        if (others.length > 0)
          throw new CommandError(`match expression [${others.join(' ')}] not supported on this object`);
        (object as ApiObject & { spec: { selector: object } }).spec.selector = labels;
        if (version !== '') object.metadata.resourceVersion = version;
      },
    });
  },
};

interface Selector {
  readonly labels: Readonly<Record<string, string>>;
  /** The texts that are not `key=value`, for the error about them. */
  readonly others: readonly string[];
}

/** @throws CommandError if the text is malformed */
function readSelector(text: string): Selector {
  const { matchLabels = {}, matchExpressions = [] } = selectorObject(text);
  const others = matchExpressions.map(({ key, operator, values = [] }) => `{${key} ${operator} [${values.join(' ')}]}`);
  return { labels: matchLabels, others };
}
