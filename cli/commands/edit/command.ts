import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { nameOf, withoutManaged } from '../../output/printer.ts';
import { fieldManagerFlag, fileFlags, validateFlag, windowsFlag } from '../../resources/flags.ts';
import { found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { editObject, textFor } from './edit-object.ts';
import { UNCHANGED } from './edit-text.ts';

export const edit: Command = {
  name: 'edit',
  short: 'Edit a resource on the server',
  long: 'Edit objects in the editor that ORCH_EDITOR or EDITOR names, by default vi.\n\n What the server refuses is shown again, with what it said. An empty file, and one that is as before, changes nothing.',
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
    { name: 'output', short: 'o', type: 'string', default: 'yaml', help: 'What to edit: yaml or json' },
    { name: 'output-patch', type: 'bool', help: 'Show also what is sent' },
    { name: 'save-config', type: 'bool', help: 'Keep what is sent in an annotation, so that a later apply knows it' },
    { name: 'show-managed-fields', type: 'bool', help: 'Show also who manages which fields' },
    { name: 'subresource', type: 'string', help: 'Part of the object to edit, such as status' },
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
  const several = selection.targets.length > 1 || !selection.single;
  /** Lines about objects that stay as they are, until it is known that another one does not. */
  let skipped: string[] = [];
  let edits = 0;
  for await (const { type, target, object } of found(session, selection, (error) => errors.push(error))) {
    const one = { ...target, name: object.metadata.name, namespace: object.metadata.namespace };
    try {
      const edited = await editObject(invocation, { type, name: one.name, namespace: one.namespace }, several);
      if (edited === undefined) skipped.push(`${nameOf(object, type)} skipped\n`);
      else edits++;
      if (edits > 0 && several) {
        io.out.write(skipped.join(''));
        skipped = [];
      }
      if (edited === undefined) continue;
      const shown = flags.bool('show-managed-fields') ? edited : withoutManaged(edited);
      io.out.write(
        flags.has('output') ? textFor(shown, flags.text('output') === 'json').text : `${nameOf(edited, type)} edited\n`,
      );
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (several && skipped.length > 0 && errors.length === 0) io.err.write(UNCHANGED);
  throwAll(errors);
  return undefined;
}
