import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import {
  allNamespacesFlag,
  fieldSelectorFlag,
  fileFlags,
  labelSelectorFlag,
  needFilesIfLocal,
} from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { isNameless, select, type Target } from '../../resources/selection.ts';
import { awaitObject } from '../../streams/await-object.ts';
import { type Report, reporter } from '../../write/report.ts';
import { type Awaited, parseAwaited } from './condition.ts';

/** The time limit that a negative `--timeout` means, which is one week. */
const FOREVER_MS = 7 * 24 * 3600 * 1000;

export const wait: Command = {
  name: 'wait',
  short: 'Wait for a specific condition on one or many resources',
  long: 'Wait for a specific condition on one or many resources.\n\n The command can wait for a condition of the status, for a value of any field, for the creation of the object, or for its deletion. It waits for several conditions one after the other, for the creation first.',
  examples: [
    '# Wait until a pod is ready, and until it is not ready',
    '{} wait --for=condition=Ready pod/web',
    '{} wait --for=condition=Ready=false pod/web',
    '',
    '# Wait until a field has a value',
    "{} wait --for=jsonpath='{.status.phase}'=Running pod/web",
    '',
    '# Wait until a pod exists, and then until it is ready',
    '{} wait --for=create --for=condition=Ready pod/web',
    '',
    '# Wait until a pod is deleted, for at most one minute',
    '{} wait --for=delete pod/web --timeout=60s',
  ].join('\n'),
  usage:
    "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
  flags: [
    { name: 'all', type: 'bool', help: 'Select all objects of the given types' },
    allNamespacesFlag,
    fieldSelectorFlag,
    ...fileFlags,
    {
      name: 'for',
      type: 'texts',
      help: 'Condition: create, delete, condition=NAME[=VALUE] (default true) or jsonpath=PATH[=VALUE]; may be repeated',
    },
    { name: 'local', type: 'bool', help: 'Accepted for compatibility' },
    ...outputFlags(),
    labelSelectorFlag,
    {
      name: 'timeout',
      type: 'duration',
      default: '30s',
      help: 'Time limit for the whole wait; 0 checks once, a negative value waits for a week',
    },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  const awaited = awaitedIn(flags.list('for'));
  const report = await reporter(invocation, 'none');
  if (args.length > 0) needFilesIfLocal(flags);
  const given = flags.duration('timeout');
  const timeoutMs = given < 0 ? FOREVER_MS : given;
  const over = Date.now() + timeoutMs;
  const selection = await select(session, flags, {
    args,
    all: flags.bool('all'),
  });
  const errors: unknown[] = [...selection.errors];
  const attempt = async (step: () => Promise<void>) => {
    try {
      await step();
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  };
  const named = selection.targets.filter(({ name }) => name !== undefined);
  const listed = { ...selection, targets: selection.targets.filter(({ name }) => name === undefined) };
  const chosen: Found[] = [];
  for await (const one of found(session, listed, (error) => errors.push(error))) chosen.push(one);
  const targets: Target[] = [
    ...named,
    ...chosen.map(({ type, object }) => {
      const { namespace, name } = object.metadata;
      return { type, namespace, name };
    }),
  ];
  if (targets.length === 0 && errors.length === 0 && !awaited.some(({ kind }) => kind === 'delete'))
    throw new CommandError('no matching resources found');
  const left = () => (timeoutMs === 0 ? undefined : over - Date.now());
  for (const target of targets)
    await attempt(async () => {
      for (const each of awaited) await waitFor(invocation, target, each, left(), report);
    });
  throwAll(errors.length > 1 ? errors.map(withoutPrefix) : errors);
  return undefined;
}

/**
 * The awaited conditions, in the order in which the command waits for them.
 * @throws CommandError if one is malformed
 */
function awaitedIn(texts: readonly string[]): readonly Awaited[] {
  const all = texts.length === 0 ? [parseAwaited('')] : texts.map(parseAwaited);
  return [...all.filter(({ kind }) => kind === 'create'), ...all.filter(({ kind }) => kind !== 'create')];
}

/** Several errors are shown without the mark that a single error has. */
function withoutPrefix(error: unknown): unknown {
  return error instanceof CommandError ? new CommandError(error.message, { plain: true }) : error;
}

/** @param leftMs the remaining time, or undefined to check only once */
async function waitFor(
  invocation: Invocation,
  target: Target,
  awaited: Awaited,
  leftMs: number | undefined,
  report: Report,
): Promise<void> {
  const { type, namespace, name = '' } = target;
  if (isNameless(target)) throw new CommandError('resource name must be provided');
  const what = `${type.plural}/${name}`;
  const timeoutMs = Math.max(leftMs ?? 0, 0);
  if (awaited.kind === 'create') {
    const { object } = await awaitObject(invocation, target, timeoutMs, (each) => each !== undefined);
    if (object === undefined) throw new CommandError('timed out waiting for the condition');
    report(object, type, 'condition met');
    return;
  }
  const notMet = () =>
    new CommandError(
      leftMs === undefined ? `condition not met for ${what}` : `timed out waiting for the condition on ${what}`,
    );
  let first: ApiObject | undefined;
  if (awaited.kind === 'delete') {
    const { met } = await awaitObject(invocation, target, timeoutMs, (each) => {
      first ??= each;
      return each === undefined || each.metadata.uid !== first?.metadata.uid;
    });
    if (!met) throw notMet();
    if (first !== undefined) report(first, type, 'condition met');
    return;
  }
  if (leftMs !== undefined && leftMs <= 0) throw notMet();
  const resource = (await invocation.session.client()).resource(type).in(namespace);
  const present = await resource.get(name, { timeoutMs: invocation.session.settings.requestTimeoutMs });
  if (awaited.isMet(present)) return report(present, type, 'condition met');
  const { object, met } = await awaitObject(
    invocation,
    target,
    timeoutMs,
    (each) => each !== undefined && awaited.isMet(each),
  );
  if (!met) throw notMet();
  report(object!, type, 'condition met');
}
