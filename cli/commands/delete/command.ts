import { isNotFound } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { ask } from '../../framework/ask.ts';
import { CommandError, throwAll, together } from '../../framework/errors.ts';
import { nameOf } from '../../output/printer.ts';
import {
  allNamespacesFlag,
  dryRunFlag,
  fieldSelectorFlag,
  fileFlags,
  labelSelectorFlag,
} from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { sendRaw } from '../../resources/raw.ts';
import { type Selection, select } from '../../resources/selection.ts';
import { dryRunOf, dryRunSuffix } from '../../write/dry-run.ts';
import { about } from '../../write/source-errors.ts';
import { deletionsAwaited } from './await-deletions.ts';
import { cascadeFlag, cascadeOf, type Manner } from './manner.ts';

const allFlag = {
  name: 'all',
  type: 'bool',
  help: 'Select all objects of the given types in the namespace',
} as const;

export const deleteCommand: Command = {
  name: 'delete',
  short: 'Delete resources by file names, stdin, resources and names, or by resources and label selector',
  long: 'Delete resources by file names, stdin, resources and names, or by resources and label selector.\n\n Pods have time to stop, which --grace-period changes. The command waits until the objects are deleted and have no finalizers, unless --wait=false.',
  examples: [
    '# Delete the objects in a file',
    '{} delete -f pod.json',
    '',
    '# Delete two objects, and all objects with a label',
    '{} delete pod/a service/b',
    '{} delete pods,services -l app=web',
    '',
    '# Give the pod only one second to stop',
    '{} delete pod a --now',
  ].join('\n'),
  usage: '([-f FILENAME] | TYPE [(NAME | -l label | --all)])',
  flags: [
    allFlag,
    allNamespacesFlag,
    cascadeFlag,
    dryRunFlag,
    fieldSelectorFlag,
    ...fileFlags,
    { name: 'force', type: 'bool', help: 'Delete immediately; processes of pods may still run' },
    {
      name: 'grace-period',
      type: 'int',
      default: -1,
      help: 'Seconds for pods to stop; a negative value uses the grace period of the pod; 0 needs --force',
    },
    {
      name: 'ignore-not-found',
      type: 'bool',
      help: 'Treat objects that do not exist as deleted, not as an error; this is the default with --all',
    },
    { name: 'interactive', short: 'i', type: 'bool', help: 'Ask for confirmation before the deletion' },
    { name: 'now', type: 'bool', help: 'Give pods one second to stop, same as --grace-period=1' },
    { name: 'output', short: 'o', type: 'string', help: 'name prints only the names of the deleted objects' },
    { name: 'raw', type: 'string', help: 'API path to send the delete request to' },
    labelSelectorFlag,
    { name: 'timeout', type: 'duration', help: 'Time limit for the deletion; 0 means no limit' },
    { name: 'wait', type: 'bool', default: true, help: 'Wait until the objects are deleted' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  if (flags.text('raw') !== '') return sendRaw(invocation, 'DELETE');
  const manner = deletionOf(invocation);
  const all = flags.bool('all');
  if (all && args.length > 1) throw new CommandError('name cannot be provided when a selector is specified');
  const selection = await select(session, flags, {
    args,
    all,
  });
  if (manner.force)
    io.err.write(
      'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n',
    );
  const errors: unknown[] = [];
  const chosen = await wanted(invocation, selection, manner, errors);
  if (flags.bool('interactive') && !(await isAgreed(invocation, chosen))) return undefined;
  const gone: Found[] = [];
  if (session.settings.namespaceGiven && !flags.bool('all-namespaces') && chosen.some(({ type }) => !type.namespaced))
    io.err.write('Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n');
  for (const one of chosen) {
    try {
      gone.push({ ...one, object: await remove(invocation, one, manner) });
    } catch (error) {
      io.signal.throwIfAborted();
      if (!(manner.ignoreMissing && isNotFound(error))) errors.push(about(error, 'deleting', one.target.source));
    }
  }
  if (
    chosen.length === 0 &&
    errors.length + selection.errors.length === 0 &&
    (!selection.byArguments || selection.targets.some(({ name }) => name === undefined))
  )
    io.out.write('No resources found\n');
  throwAll([...errors, ...together(selection.errors)]);
  if (manner.wait && manner.dryRunKind === 'none') await deletionsAwaited(invocation, gone, flags.duration('timeout'));
  return undefined;
}

function deletionOf(invocation: Invocation): Manner {
  const { flags } = invocation;
  const dryRunKind = dryRunOf(invocation);
  let seconds = flags.int('grace-period');
  const force = flags.bool('force');
  const output = flags.text('output');
  if (output !== '' && output !== 'name')
    throw new CommandError(`unexpected -o output mode: ${output}. We only support '-o name'`);
  if (flags.bool('now')) {
    if (seconds !== -1) throw new CommandError('--now and --grace-period cannot be specified together');
    seconds = 1;
  }
  if (force && seconds > 0)
    throw new CommandError('--force and --grace-period greater than 0 cannot be specified together');
  if (force && seconds < 0) seconds = 0;
  const immediate = seconds === 0 && !force;
  const propagationPolicy = cascadeOf(invocation);
  // Without `--force`, a pod may end by itself, and the command waits for its end.
  const gracePeriodSeconds = immediate ? 1 : seconds < 0 ? undefined : seconds;
  return {
    propagationPolicy,
    gracePeriodSeconds,
    dryRun: dryRunKind === 'server',
    dryRunKind,
    force,
    ignoreMissing: flags.bool('ignore-not-found') || (flags.bool('all') && !flags.has('ignore-not-found')),
    wait: flags.bool('wait') && !(force && !flags.has('wait') && seconds === 0),
  };
}

/**
 * The objects to delete, with their known fields. Named objects are not read first, unless the command sends no
 * deletion to the server.
 */
async function wanted(
  { session }: Invocation,
  selection: Selection,
  manner: Manner,
  errors: unknown[],
): Promise<Found[]> {
  const chosen: Found[] = [];
  const listed = selection.targets.filter(({ name }) => name === undefined);
  for (const target of selection.targets) {
    if (target.name === undefined) continue;
    const metadata = { name: target.name, ...(target.namespace === undefined ? {} : { namespace: target.namespace }) };
    const object = asObject({ apiVersion: '', kind: target.type.kind, metadata });
    chosen.push({ type: target.type, target, object });
  }
  // Objects of files are shown as they are in the files.
  if (manner.dryRunKind === 'client' && chosen.length > 0 && selection.byArguments) {
    const named = { ...selection, targets: selection.targets.filter(({ name }) => name !== undefined) };
    chosen.length = 0;
    for await (const one of found(session, named, (error) => {
      if (!(manner.ignoreMissing && isNotFound(error))) errors.push(error);
    }))
      chosen.push(one);
  }
  for await (const one of found(session, { ...selection, targets: listed }, (error) => errors.push(error)))
    chosen.push(one);
  return chosen;
}

async function remove(invocation: Invocation, one: Found, manner: Manner): Promise<ApiObject> {
  const { session, io, flags } = invocation;
  const { type, target, object } = one;
  let answer = object;
  if (manner.dryRunKind !== 'client') {
    const client = await session.client();
    const namespace = object.metadata.namespace ?? target.namespace;
    const { propagationPolicy, gracePeriodSeconds, dryRun } = manner;
    const timeoutMs = session.settings.requestTimeoutMs;
    answer = await client
      .resource(type)
      .in(type.namespaced ? namespace : undefined)
      .delete(object.metadata.name!, { propagationPolicy, gracePeriodSeconds, dryRun, timeoutMs });
  }
  if (flags.text('output') === 'name') io.out.write(`${nameOf(object, type)}\n`);
  else {
    const [kind] = nameOf(object, type).split('/');
    const how = manner.force ? 'force deleted' : 'deleted';
    io.out.write(`${kind} "${object.metadata.name ?? ''}" ${how}${dryRunSuffix[manner.dryRunKind]}\n`);
  }
  // The answer is either the object with its uid, or a Status with the uid in its details.
  const uid = answer.metadata.uid ?? (answer as { details?: { uid?: string } }).details?.uid;
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}

async function isAgreed({ io }: Invocation, chosen: readonly Found[]): Promise<boolean> {
  if (chosen.length === 0) return true;
  io.out.write(`You are about to delete the following ${chosen.length} resource(s):\n`);
  for (const { object, type } of chosen) io.out.write(`${nameOf(object, type)}\n`);
  const answer = (await ask(io, io.out, 'Do you want to continue? (y/n): ')).toLowerCase();
  if (answer === 'y') return true;
  io.out.write('deletion is cancelled\n');
  return false;
}
