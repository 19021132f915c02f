import { isNotFound } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError, throwAll, together } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import { dryRunFlag, fieldManagerFlag, fileFlags, namesFiles, validateFlag } from '../../resources/flags.ts';
import type { Found } from '../../resources/found.ts';
import { sendRaw } from '../../resources/raw.ts';
import { type Selection, select } from '../../resources/selection.ts';
import { asNewObject } from '../../write/as-new-object.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { configurationOf, lastApplied } from '../../write/last-applied.ts';
import { reporter } from '../../write/report.ts';
import { about } from '../../write/source-errors.ts';
import { writeOptions } from '../../write/write-options.ts';
import { deletionsAwaited } from '../delete/await-deletions.ts';
import { cascadeFlag, cascadeOf } from '../delete/manner.ts';

export const replace: Command = {
  name: 'replace',
  short: 'Replace a resource by file name or stdin',
  long: 'Replace a resource by file name or stdin.\n\n JSON and YAML formats are accepted. The whole object must be given, as `get -o yaml` shows it.',
  examples:
    '# Replace an object with the content of a file\n{} replace -f ./pod.json\n\n# Delete the object and create it again\n{} replace --force -f ./pod.json',
  usage: '-f FILENAME',
  flags: [
    dryRunFlag,
    fieldManagerFlag('orchctl-replace'),
    cascadeFlag,
    ...fileFlags,
    { name: 'force', type: 'bool', help: 'Delete the object and create it again, instead of changing it' },
    {
      name: 'grace-period',
      type: 'int',
      default: -1,
      help: 'With --force, seconds for pods to stop; a negative value uses the grace period of the pod',
    },
    ...outputFlags(),
    { name: 'raw', type: 'string', help: 'API path to send the unchanged file to' },
    {
      name: 'save-config',
      type: 'bool',
      help: 'Store the configuration in an annotation of the object, for a later apply',
    },
    { name: 'subresource', type: 'string', help: 'Subresource to replace, such as status' },
    {
      name: 'timeout',
      type: 'duration',
      help: 'With --force, time limit for the deletion of the object; 0 means no limit',
    },
    validateFlag,
    { name: 'wait', type: 'bool', help: 'Accepted for compatibility: --force always waits for the deletion' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, session, io } = invocation;
  if (!namesFiles(flags)) throw new CommandError('must specify one of -f and -k');
  if (flags.text('raw') !== '') return sendRaw(invocation, 'PUT');
  const force = flags.bool('force');
  if (flags.int('grace-period') >= 0 && !force) throw new CommandError('--grace-period must have --force specified');
  if (flags.duration('timeout') !== 0 && !force) throw new CommandError('--timeout must have --force specified');
  const dryRun = dryRunOf(invocation);
  if (force && dryRun !== 'none') throw new CommandError('--dry-run can not be used when --force is set');
  const report = await reporter(invocation, dryRun);
  const selection = await select(session, flags, { args: [] });
  if (force) await removeAll(invocation, selection);
  const errors: unknown[] = [];
  const subresource = flags.text('subresource') || undefined;
  for (const target of selection.targets) {
    try {
      let object = target.object!;
      if (flags.bool('save-config')) object = await lastApplied(session).put(object, configurationOf(object));
      const resource = (await session.client()).resource(target.type).in(target.namespace);
      const options = { ...(await writeOptions(invocation, '-replace', dryRun)), subresource };
      if (dryRun !== 'client')
        object = force ? await resource.create(asNewObject(object), options) : await resource.update(object, options);
      report(object, target.type, 'replaced');
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(force ? error : about(error, 'replacing', target.source));
    }
  }
  throwAll([...errors, ...together(selection.errors)]);
  return undefined;
}

/** Deletes all objects before it creates the first one again. If a file cannot be read, it deletes none. */
async function removeAll(invocation: Invocation, { targets, errors }: Selection): Promise<void> {
  throwAll(errors);
  const gone: Found[] = [];
  for (const target of targets) {
    const { type, namespace, name = '' } = target;
    const { flags, session, io } = invocation;
    const resource = (await session.client()).resource(type).in(namespace);
    const seconds = flags.int('grace-period');
    try {
      const object: ApiObject = await resource.get(name);
      await resource.delete(name, {
        gracePeriodSeconds: seconds < 0 ? undefined : seconds,
        propagationPolicy: cascadeOf(invocation),
      });
      io.out.write(`${inGroup(type.kind.toLowerCase(), type.group)} "${name}" deleted\n`);
      gone.push({ type, target, object });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  await deletionsAwaited(invocation, gone, invocation.flags.duration('timeout'));
}
