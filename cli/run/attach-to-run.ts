import { ApiError, isGone } from '../../client/errors.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import type { Pod } from '../../server/schema/generated/core.v1.ts';
import type { Invocation } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { passLog } from '../logs/pass-log.ts';
import { attachTo } from '../streams/attach-to.ts';
import { podsOf } from '../streams/pod-of.ts';

/**
 * Joins a pod that has just been created, once it runs; what has ended before shows its log. Ends with the exit code of its
 * process, where it is not started again. @throws CommandError
 */
export async function attachToRun(invocation: Invocation, { metadata }: ApiObject): Promise<undefined> {
  const { flags, io } = invocation;
  const name = metadata.name!;
  const timeoutMs = flags.duration('pod-running-timeout');
  const started = await awaitPod(invocation, name, timeoutMs, (pod) => hasEnded(pod) || runs(pod));
  if (hasEnded(started)) await showLog(invocation, started);
  else
    await attachTo(invocation, started).catch(async (error: unknown) => {
      io.signal.throwIfAborted();
      const { message } = error as Error;
      io.err.write(`warning: couldn't attach to pod/${name}, falling back to streaming logs: ${message}\n`);
      await showLog(invocation, started);
    });
  const restart = flags.text('restart');
  if (flags.bool('leave-stdin-open') || (restart !== 'Never' && restart !== 'OnFailure')) return undefined;
  const ended = await awaitPod(
    invocation,
    name,
    timeoutMs,
    restart === 'Never' ? hasEnded : ({ status }) => status?.phase === 'Succeeded',
  );
  checkEnd(ended);
  return undefined;
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function runs({ status }: Pod): boolean {
  const ready = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return status?.phase === 'Running' && ready === true;
}

/** @throws CommandError with the exit code of the process */
function checkEnd({ metadata, status }: Pod): void {
  if (status?.phase === 'Succeeded') return;
  const what = `pod ${metadata.namespace}/${metadata.name}`;
  const terminated = status?.containerStatuses?.[0]?.state?.terminated;
  if (terminated === undefined || terminated === null || terminated.exitCode === 0)
    throw new CommandError(`${what} failed with unknown exit code`);
  const { exitCode, reason = '', message = '' } = terminated;
  throw new CommandError(`${what} terminated (${reason})\n${message}`, { plain: true, exitCode: exitCode ?? 1 });
}

async function showLog(invocation: Invocation, pod: Pod): Promise<void> {
  const { name = '', namespace = '' } = pod.metadata;
  const container = pod.spec?.containers?.[0]?.name ?? '';
  const query = new URLSearchParams();
  await passLog(invocation, { namespace, pod: name, container }, query, false);
}

/** The pod, once it is as it should be. @throws CommandError where it is not in time, ApiError where it is deleted */
async function awaitPod(
  { session, io }: Invocation,
  name: string,
  timeoutMs: number,
  isRight: (pod: Pod) => boolean,
): Promise<Pod> {
  const pods = await podsOf(session);
  const over = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_MS));
  const fieldSelector = `metadata.name=${name}`;
  for (;;) {
    const { items, metadata } = await pods.list({ fieldSelector, signal: io.signal });
    if (items[0] !== undefined && isRight(items[0])) return items[0];
    try {
      const signal = AbortSignal.any([io.signal, over]);
      const { resourceVersion } = metadata;
      for await (const { type, object } of await pods.watch({ fieldSelector, resourceVersion, signal })) {
        if (type === 'DELETED') throw gone(name);
        if (type !== 'BOOKMARK' && isRight(object)) return object;
      }
    } catch (error) {
      io.signal.throwIfAborted();
      if (over.aborted) throw new CommandError('timed out waiting for the condition');
      if (!isGone(error)) throw error;
    }
  }
}

/** The longest that timers take. */
const LONGEST_MS = 2 ** 31 - 1;

function gone(name: string): ApiError {
  return new ApiError(404, { kind: 'Status', code: 404, reason: 'NotFound', message: `pods "${name}" not found` });
}
