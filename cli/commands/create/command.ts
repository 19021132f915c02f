import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Command, entryOf, type Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError, throwAll, together, UsageError } from '../../framework/errors.ts';
import { fileFlags, labelSelectorFlag, namesFiles, windowsFlag } from '../../resources/flags.ts';
import { sendRaw } from '../../resources/raw.ts';
import { select } from '../../resources/selection.ts';
import { asNewObject } from '../../write/as-new-object.ts';
import { recorded, recordFlag } from '../../write/change-cause.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { configurationOf, lastApplied } from '../../write/last-applied.ts';
import { reporter } from '../../write/report.ts';
import { about } from '../../write/source-errors.ts';
import { writeOptions } from '../../write/write-options.ts';
import { configMap } from './config-map.ts';
import { createFlags, type Generator, generatorCommand } from './generator.ts';
import { ingress } from './ingress.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './roles.ts';
import { secret } from './secret.ts';
import { service } from './service.ts';
import { disruptionBudget, namespace, priorityClass, resourceQuota, serviceAccount } from './simple.ts';
import { token } from './token.ts';
import { cronJob, deployment, job } from './workloads.ts';

const generators: readonly Generator[] = [
  ...[clusterRole, clusterRoleBinding, configMap, cronJob, deployment, ingress, job, namespace, disruptionBudget],
  ...[priorityClass, resourceQuota, role, roleBinding, serviceAccount],
];

export const create: Command = {
  name: 'create',
  short: 'Create a resource from a file or from stdin',
  long: 'Create a resource from a file or from stdin.\n\n JSON and YAML formats are accepted.',
  examples: [
    '# Create the objects in a file',
    '{} create -f pod.json',
    '',
    '# Create the objects in the output of another program',
    'cat pod.json | {} create -f -',
  ].join('\n'),
  usage: '-f FILENAME',
  flags: [
    { name: 'edit', type: 'bool', help: 'Open an editor to change the objects before they are created' },
    ...fileFlags,
    labelSelectorFlag,
    { name: 'raw', type: 'string', help: 'API path to send the unchanged file to' },
    ...createFlags,
    recordFlag,
    windowsFlag,
  ],
  subcommands: [...generators.map(generatorCommand), secret, service, token]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(entryOf),
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session } = invocation;
  if (args.length > 0) throw new UsageError(`Unexpected args: [${args.join(' ')}]`);
  if (!namesFiles(flags)) throw new CommandError('must specify one of -f and -k');
  if (flags.text('raw') !== '') return sendRaw(invocation, 'POST');
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, dryRun);
  const selection = await select(session, flags, { args });
  const errors: unknown[] = [];
  const client = await session.client();
  const options = await writeOptions(invocation, '-create', dryRun);
  if (selection.targets.length === 0 && selection.errors.length === 0)
    throw new CommandError('no objects passed to create');
  for (const { type, namespace: place, object, source } of selection.targets) {
    try {
      let wanted = object!;
      if (flags.bool('save-config')) wanted = await lastApplied(session).put(wanted, configurationOf(wanted));
      wanted = await recorded(invocation, wanted);
      const make = async (object: ApiObject) =>
        dryRun === 'client' ? object : client.resource(type).in(place).create(asNewObject(object), options);
      const what = `${inGroup(type.plural, type.group)} ${JSON.stringify(wanted.metadata.name ?? '')}`;
      const made = flags.bool('edit')
        ? await (await import('../edit/edit-object.ts')).editBeforeCreation(invocation, wanted, what, make)
        : await make(wanted);
      if (made !== undefined) report(made, type, 'created');
    } catch (error) {
      session.io.signal.throwIfAborted();
      errors.push(flags.bool('edit') ? error : about(error, 'creating', source));
    }
  }
  throwAll([...errors, ...together(selection.errors)]);
  return undefined;
}
