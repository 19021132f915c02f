import { isNotFound } from '../../client/errors.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { describerOf } from '../describe/describers.ts';
import type { Command } from '../frame/command.ts';
import { CommandError, throwAll } from '../frame/errors.ts';
import { allNamespacesFlag, chunkSizeFlag, fileFlags, labelSelectorFlag } from '../resources/flags.ts';
import { type Found, found } from '../resources/found.ts';
import { type Selection, select } from '../resources/selection.ts';
import { lastApplied } from '../write/last-applied.ts';

export const describe: Command = {
  name: 'describe',
  short: 'Show details of a specific resource or group of resources',
  long: 'Show details of a specific resource or group of resources.\n\n Joined with what belongs to it, such as events. Where no object has exactly the name, all whose names begin so are shown.\n\nUse "{} api-resources" for a complete list of supported resources.',
  examples: [
    '# One node, and all pods with a label',
    '{} describe nodes worker-1',
    '{} describe pods -l name=web',
    '',
    '# What a file names',
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
      nothing: () =>
        new CommandError(
          'You must specify the type of resource to describe. Use "orchctl api-resources" for a complete list of supported resources.',
        ),
    });
    const errors: unknown[] = [...selection.errors];
    const context = { session, showEvents: flags.bool('show-events') };
    const keptKey = await lastApplied(session).key();
    /** What apply keeps in an annotation is no news to anybody. */
    const withoutKept = (object: ApiObject): ApiObject => {
      const { [keptKey]: kept, ...annotations } = object.metadata.annotations ?? {};
      return kept === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
    };
    let shown = 0;
    const show = async (each: Found, separator: string) => {
      if (shown++ > 0) io.out.write(separator);
      const object = withoutKept(each.object);
      io.out.write(await (await describerOf(each.type))({ ...each, object }, context));
    };
    const missing: unknown[] = [];
    const onError = (error: unknown) => (isNotFound(error) && selection.single ? missing : errors).push(error);
    for await (const each of found(session, selection, onError, { chunkSize: flags.int('chunk-size') })) {
      // What stands after the first that is not there is not shown.
      if (errors.length > selection.errors.length) break;
      await show(each, '\n\n');
    }
    if (missing.length > 0 && !(await showByPrefix(selection))) errors.push(...missing);
    if (shown === 0 && errors.length === 0)
      io.err.write(
        selection.allNamespaces ? 'No resources found\n' : `No resources found in ${session.namespace} namespace.\n`,
      );
    throwAll(errors);
    return undefined;

    /** Those whose names begin like the one that is not there. */
    async function showByPrefix({ targets: [target] }: Selection): Promise<boolean> {
      const { name = '', ...all } = target!;
      const every = { ...selection, targets: [{ ...all, name: undefined }], single: false };
      for await (const each of found(session, every, (error) => errors.push(error), {
        chunkSize: flags.int('chunk-size'),
      }))
        if (each.object.metadata.name?.startsWith(name)) {
          shown = 0;
          await show(each, '');
          io.out.write('\n');
          shown = -1;
        }
      return shown < 0;
    }
  },
};
