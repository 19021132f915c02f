import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { attachOrShowLog, showLog } from '../../streams/attach-or-show-log.ts';
import { followPod } from '../../streams/follow-pod.ts';

/**
 * Attaches to a pod that was just created, as soon as it runs. For a pod that has already ended it shows the log. Exits
 * with the exit code of the pod's process, unless the pod restarts the process or the user detaches from it.
 * @throws CommandError if the pod does not run, or its process fails
 */
export async function attachToRun(invocation: Invocation, { metadata }: ApiObject): Promise<undefined> {
  const { flags, session } = invocation;
  const of = { name: metadata.name!, namespace: session.namespace };
  const timeoutMs = flags.duration('pod-running-timeout');
  const started = await followPod(invocation, of, timeoutMs, (pod) => hasEnded(pod) || runs(pod));
  if (hasEnded(started)) await showLog(invocation, started);
  else if (await attachOrShowLog(invocation, started)) return undefined;
  const restart = flags.text('restart');
  if (flags.bool('leave-stdin-open') || (restart !== 'Never' && restart !== 'OnFailure')) return undefined;
  const ended = await followPod(
    invocation,
    of,
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
