import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { fieldManagerFlag, fileFlags, validateFlag, windowsFlag } from '../../resources/flags.ts';
import { found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { type Editable, editObjects } from './edit-objects.ts';

export const edit: Command = {
  name: 'edit',
  short: 'Edit a resource on the server',
  long: 'Edit objects in the editor that ORCH_EDITOR or EDITOR names, by default vi.\n\n If the server refuses a change, the editor opens again with the error. An empty or unchanged file changes nothing.',
  examples: [
    '# A service',
    '{} edit svc/registry',
    '',
    '# In another editor, as JSON',
    'ORCH_EDITOR=nano {} edit job.v1.batch/myjob -o json',
  ].join('\n'),
  usage: '(RESOURCE/NAME | -f FILENAME)',
  flags: [
    fieldManagerFlag('orchctl-edit'),
    ...fileFlags,
    {
      name: 'output',
      short: 'o',
      type: 'string',
      default: 'yaml',
      help: 'Format of the text in the editor: yaml or json',
    },
    { name: 'output-patch', type: 'bool', help: 'Print also the patch that is sent' },
    {
      name: 'save-config',
      type: 'bool',
      help: 'Store the configuration in an annotation of the object, for a later apply',
    },
    { name: 'show-managed-fields', type: 'bool', help: 'Show also the managed fields' },
    { name: 'subresource', type: 'string', help: 'Subresource to edit, such as status' },
    validateFlag,
    windowsFlag,
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  if (!['yaml', 'json'].includes(flags.text('output')))
    throw new CommandError(
      `unable to match a printer suitable for the output format ${JSON.stringify(flags.text('output'))}, allowed formats are: json,yaml`,
    );
  const selection = await select(session, flags, { args, typeMeansAll: true });
  const errors: unknown[] = [...selection.errors];
  const subresource = flags.text('subresource') || undefined;
  const client = await session.client();
  const objects: Editable[] = [];
  for await (const { type, target, object } of found(session, selection, (error) => errors.push(error))) {
    const { namespace } = object.metadata;
    // A file may contain only null.
    const name = object.metadata.name ?? '';
    try {
      const resource = client.resource(type).in(namespace);
      const live = subresource === undefined && name !== '' ? object : await resource.get(name, { subresource });
      objects.push({ target: { ...target, name, namespace }, live });
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  // If one of the objects cannot be read, the editor does not open.
  throwAll(errors);
  const [first, ...others] = objects;
  if (first === undefined) throw new CommandError('edit cancelled, no objects found');
  await editObjects(invocation, [first, ...others]);
  return undefined;
}
