import { parseJson } from '#client/json.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError, throwAll, UsageError } from '../../framework/errors.ts';
import { toCompactJson, toJson } from '../../manifests/json.ts';
import { nameOf, outputFlags } from '../../output/printer.ts';
import { toYaml } from '../../output/yaml.ts';
import { dryRunFlag, fieldManagerFlag, fileFlags, labelSelectorFlag, windowsFlag } from '../../resources/flags.ts';
import { found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { configurationOf, lastApplied } from '../../write/last-applied.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { isSame, parsed, textFor } from '../edit/edit-object.ts';
import { editText } from '../edit/edit-text.ts';

export const viewLastApplied: Command = {
  name: 'view-last-applied',
  short: 'View the latest last-applied-configuration annotations of a resource/object',
  examples: '# Show the last applied configuration of a deployment\n{} apply view-last-applied deployment/web',
  usage: '(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)',
  flags: [
    { name: 'all', type: 'bool', help: 'Select all objects of the given types' },
    ...fileFlags,
    { name: 'output', short: 'o', type: 'string', default: 'yaml', help: 'Form of the output: yaml or json' },
    labelSelectorFlag,
  ],
  run: view,
};

async function view({ flags, args, session, io }: Invocation): Promise<undefined> {
  const output = flags.text('output');
  const selection = await select(session, flags, { args, all: flags.bool('all'), typeMeansAll: true });
  const errors: unknown[] = [...selection.errors];
  const kept = lastApplied(session);
  for await (const { object, target } of found(session, selection, (error) => errors.push(error))) {
    const text = await kept.of(object);
    if (text === undefined && target.source !== undefined)
      errors.push(
        new CommandError(
          `error when no last-applied-configuration annotation found on resource: ${object.metadata.name ?? ''}\n ${JSON.stringify(target.source)}: <nil>`,
        ),
      );
    else if (text !== undefined && output !== 'yaml' && output !== 'json')
      throw new UsageError(`Unexpected -o output mode: ${output}, the flag 'output' must be one of yaml|json`);
    else if (text !== undefined)
      io.out.write(output === 'yaml' ? toYaml(parseJson(text)) : toJson(parseJson(text), '  '));
  }
  throwAll(errors);
  return undefined;
}

export const editLastApplied: Command = {
  name: 'edit-last-applied',
  short: 'Edit latest last-applied-configuration annotations of a resource/object',
  long: 'Edit the last applied configuration of objects in the editor that ORCH_EDITOR or EDITOR names, by default vi. Other fields of the objects do not change.',
  examples: '# Edit the last applied configuration of a deployment\n{} apply edit-last-applied deployment/web',
  usage: '(RESOURCE/NAME | -f FILENAME)',
  flags: [
    fieldManagerFlag('orchctl-client-side-apply'),
    ...fileFlags,
    {
      name: 'output',
      short: 'o',
      type: 'string',
      default: 'yaml',
      help: 'Format of the text in the editor: yaml or json',
    },
    windowsFlag,
  ],
  run: edit,
};

const HEADING = `# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
`;

async function edit(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  const output = flags.text('output');
  if (output !== 'yaml' && output !== 'json') throw new CommandError("The flag 'output' must be one of yaml|json");
  const selection = await select(session, flags, { args });
  const errors: unknown[] = [...selection.errors];
  const kept = lastApplied(session);
  const key = await kept.key();
  let applied = 0;
  for await (const { type, object } of found(session, selection, (error) => errors.push(error))) {
    const text = await kept.of(object);
    if (text === undefined) continue;
    applied++;
    const { namespace, name = '' } = object.metadata;
    const resource = (await session.client()).resource(type).in(namespace);
    const options = await writeOptions(invocation, '-client-side-apply', 'none');
    try {
      const before = parseJson(text) as object;
      const changed = await editText(invocation, {
        heading: HEADING,
        ...textFor(before, output === 'json'),
        what: `${inGroup(type.plural, type.group)} ${JSON.stringify(name)}`,
        take: async (edited) => {
          const wanted = await parsed(edited);
          if (isSame(wanted, before)) return undefined;
          const annotations = { [key]: configurationOf(wanted) };
          return resource.patch(name, 'merge', { metadata: { annotations } }, options);
        },
      });
      if (changed !== undefined) io.out.write(`${nameOf(changed, type)} edited\n`);
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (applied === 0 && errors.length === 0)
    throw new CommandError(
      'no last-applied-configuration annotation found on resources, to create the annotation, use command `orchctl apply set-last-applied --create-annotation`',
    );
  throwAll(errors);
  return undefined;
}

export const setLastApplied: Command = {
  name: 'set-last-applied',
  short: 'Set the last-applied-configuration annotation on a live object to match the contents of a file',
  examples:
    '# Set the annotation as if the file had been applied, and change nothing else\n{} apply set-last-applied -f deployment.yaml',
  usage: '-f FILENAME',
  flags: [
    { name: 'create-annotation', type: 'bool', help: 'Add the annotation to objects that do not have it yet' },
    dryRunFlag,
    ...fileFlags,
    ...outputFlags(),
  ],
  run: set,
};

async function set(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, dryRun);
  const selection = await select(session, flags, { args });
  if (selection.errors.length > 0) throw selection.errors[0];
  const kept = lastApplied(session);
  const client = await session.client();
  const chosen = [];
  for (const target of selection.targets) {
    const { type, namespace, name = '' } = target;
    const current = await client.resource(type).in(namespace).get(name);
    const before = await kept.of(current);
    if (before === undefined && !flags.bool('create-annotation'))
      throw new CommandError(
        `no last-applied-configuration annotation found on resource: ${name}, to create the annotation, run the command with --create-annotation`,
      );
    chosen.push({ target, current, before });
  }
  for (const { target, current, before } of chosen) {
    const { type, namespace, name = '', object } = target;
    const configuration = `${toCompactJson(object)}\n`;
    const patch = { metadata: { annotations: { [await kept.key()]: configuration } } };
    if (before === configuration) {
      io.out.write(`set-last-applied ${name}: no changes required.\n`);
      continue;
    }
    let after: ApiObject = current;
    if (dryRun !== 'client')
      after = await client
        .resource(type)
        .in(namespace)
        .patch(name, 'merge', patch, { dryRun: dryRun === 'server' });
    report(after, type, 'configured');
  }
  return undefined;
}
