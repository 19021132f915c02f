import { type ApiError, isNotFound } from '#client/errors.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, UsageError } from '../../framework/errors.ts';
import { found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { runningTimeout } from '../../streams/flags.ts';
import { passLog } from '../../streams/pass-log.ts';
import { firstPod, namedObject, podSelectorOf, podsOf } from '../../streams/pod-of.ts';
import { type LogSource, sourcesOf } from '../../streams/sources.ts';
import { logFlags, logQuery, validateLogs } from './options.ts';

export const logs: Command = {
  name: 'logs',
  short: 'Print the logs for a container in a pod',
  long: 'Prints what the containers of pods have written. A pod with one container needs no container name.',
  examples: [
    '# The log of a pod',
    '{} logs web',
    '',
    '# Follow the logs of all containers of the pods with a label',
    '{} logs -f -l app=web --all-containers',
    '',
    '# The last 20 lines of a container, and the lines of the last hour of a deployment',
    '{} logs --tail=20 web -c proxy',
    '{} logs --since=1h deployment/web',
    '',
    '# The log of the container from before the last restart',
    '{} logs -p web',
  ].join('\n'),
  usage: '[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]',
  flags: logFlags,
  run,
};

const USAGE =
  "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command";

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  const selector = flags.text('selector');
  if (args.length > 2 || (args.length === 0 && selector === '')) throw new UsageError(USAGE);
  if (args.length === 1 && selector !== '') throw new UsageError('only a selector (-l) or a POD name is allowed');
  const timeoutMs = runningTimeout(invocation, false);
  const query = logQuery(invocation);
  const container = args.length === 2 ? args[1]! : flags.text('container');
  const chosen = await podsMeant(invocation, args[0]);
  validateLogs(invocation, container);
  const pods = await chosen(timeoutMs);
  const sources: LogSource[] = [];
  const naming = await session.naming();
  const tell = flags.bool('all-pods') ? undefined : io.err;
  for (const pod of pods) sources.push(...sourcesOf(pod, container, { naming, flags, tell }));
  const follow = flags.bool('follow');
  const most = flags.int('max-log-requests');
  if (follow && sources.length > 1 && sources.length > most)
    throw new CommandError(
      `you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${most}, use --max-log-requests to increase the limit`,
    );
  const prefixed = flags.bool('prefix') || flags.bool('all-pods');
  const pass = (source: LogSource) => passLog(invocation, source, { query, prefixed });
  if (follow && sources.length > 1) {
    const errors: unknown[] = [];
    await Promise.all(
      sources.map((source) =>
        pass(source).catch((error: unknown) => {
          io.signal.throwIfAborted();
          if (!flags.bool('ignore-errors')) errors.push(error);
          else io.out.write(`error: ${(error as Error).message}\n`);
        }),
      ),
    );
    throwAll(errors.slice(0, 1));
    return undefined;
  }
  for (const source of sources)
    await pass(source).catch((error: unknown) => {
      io.signal.throwIfAborted();
      if (!flags.bool('ignore-errors')) throw error;
      io.out.write(`error: ${(error as Error).message}\n`);
    });
  return undefined;
}

/** Resolves to the pods of the named objects. It may wait until a pod exists. */
async function podsMeant(
  invocation: Invocation,
  word: string | undefined,
): Promise<(timeoutMs: number) => Promise<readonly Pod[]>> {
  const { flags, session, io } = invocation;
  if (word === undefined) {
    const selection = await select(session, flags, { args: ['pods'], typeMeansAll: true });
    const errors: unknown[] = [];
    const pods: Pod[] = [];
    for await (const { object } of found(session, selection, (error) => errors.push(error)))
      pods.push(object as unknown as Pod);
    throwAll(errors);
    if (pods.length === 0) io.err.write(`No resources found in ${session.namespace} namespace.\n`);
    return async () => pods;
  }
  const named = await namedObject(session, word).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const { message } = error as ApiError;
    throw new CommandError(`error from server (NotFound): ${message} in namespace "${session.namespace}"`);
  });
  if (named.group === '' && named.object.kind === 'Pod') return async () => [named.object as unknown as Pod];
  return async (timeoutMs) => {
    const labels = podSelectorOf(named, 'get the logs from');
    const { pod, count } = await firstPod(invocation, labels, timeoutMs);
    if (flags.bool('all-pods')) return (await (await podsOf(session)).list({ labelSelector: labels })).items;
    if (count > 1) io.err.write(`Found ${count} pods, using pod/${pod.metadata.name}\n`);
    return [pod];
  };
}
