import { isNotFound } from '#client/errors.ts';
import { NameError } from '#client/path-segment.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { allNamespacesFlag, chunkSizeFlag, fileFlags, labelSelectorFlag } from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { isNameless, type Selection, select } from '../../resources/selection.ts';
import { describeObject } from './describe-object.ts';

export const describe: Command = {
  name: 'describe',
  short: 'Show details of a specific resource or group of resources',
  long: 'Show details of a specific resource or group of resources.\n\n The output includes related data, such as events. If no object has exactly this name, the command shows all objects whose names begin with it.\n\nUse "{} api-resources" for a complete list of supported resources.',
  examples: [
    '# One node, and all pods with a label',
    '{} describe nodes worker-1',
    '{} describe pods -l name=web',
    '',
    '# The objects in a file',
    '{} describe -f pod.yaml',
  ].join('\n'),
  usage: '(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)',
  flags: [
    allNamespacesFlag,
    chunkSizeFlag,
    ...fileFlags,
    labelSelectorFlag,
    { name: 'show-events', type: 'bool', default: true, help: 'Show also the events of the object' },
  ],
  run: async ({ flags, args, session, io }) => {
    const selection = await select(session, flags, {
      args,
      typeMeansAll: true,
      plainMistakes: true,
      nothing: () =>
        new CommandError(
          'You must specify the type of resource to describe. Use "orchctl api-resources" for a complete list of supported resources.',
        ),
    });
    const errors: unknown[] = [...selection.errors];
    const client = await session.client();
    const context = {
      client,
      naming: client.naming,
      showEvents: flags.bool('show-events'),
      chunkSize: flags.int('chunk-size'),
      now: io.now(),
    };
    let shown = 0;
    const failures = new Set<string>();
    const show = async (each: Found, separator: string) => {
      try {
        if (isNameless(each.target)) throw new NameError('resource name may not be empty');
        const text = await describeObject(each, context);
        io.out.write(shown++ > 0 ? `${separator}${text}` : text);
      } catch (error) {
        io.signal.throwIfAborted();
        // An error that many objects have in common is shown once.
        const message = String(error);
        if (!failures.has(message)) errors.push(error);
        failures.add(message);
      }
    };
    const chunkSize = flags.int('chunk-size');
    const onError = (error: unknown) => errors.push(error);
    if (selection.byArguments && args.length === 2) {
      const all: Found[] = [];
      for await (const each of found(session, selection, onError, { chunkSize })) all.push(each);
      // A single name that does not exist may be the beginning of other names.
      const missing = errors.length === 1 && isNotFound(errors[0]);
      if (!missing) for (const each of all) await show(each, '\n\n');
      else if (args[0]!.includes(',')) throw new CommandError('you may only specify a single resource type');
      else if (selection.single && (await showByPrefix(selection))) errors.length = 0;
    } else for await (const each of found(session, selection, onError, { chunkSize })) await show(each, '\n\n');
    if (shown === 0 && errors.length === 0)
      io.err.write(
        selection.allNamespaces ? 'No resources found\n' : `No resources found in ${session.namespace} namespace.\n`,
      );
    throwAll(errors);
    return undefined;

    /** Shows the objects whose names begin with the name that was not found. */
    async function showByPrefix({ targets: [target] }: Selection): Promise<boolean> {
      const { name = '', ...all } = target!;
      const every = { ...selection, targets: [{ ...all, name: undefined }], single: false };
      for await (const each of found(session, every, onError, { chunkSize }))
        if (each.object.metadata.name?.startsWith(name)) {
          io.out.write(`${await describeObject(each, context)}\n`);
          shown++;
        }
      return shown > 0;
    }
  },
};
