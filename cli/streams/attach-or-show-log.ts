import type { Pod } from '#schema/generated/core.v1.ts';
import type { Invocation } from '../command-line/command.ts';
import { attachTo } from './attach-to.ts';
import { passLog } from './pass-log.ts';

/**
 * Attaches to a running container, or shows its log if that is not possible. `container`: a container other than the
 * default.
 * @returns whether the user left the process by the detach keys, so that the process continues
 */
export async function attachOrShowLog(invocation: Invocation, pod: Pod, container?: string): Promise<boolean> {
  const { io } = invocation;
  try {
    return await attachTo(invocation, pod, container);
  } catch (error) {
    io.signal.throwIfAborted();
    const why = (error as Error).message;
    io.err.write(`warning: couldn't attach to pod/${pod.metadata.name}, falling back to streaming logs: ${why}\n`);
    await showLog(invocation, pod, container);
    return false;
  }
}

/** Shows the log of a container. */
export async function showLog(invocation: Invocation, pod: Pod, container?: string): Promise<void> {
  const { name = '', namespace = '' } = pod.metadata;
  const one = container ?? pod.spec?.containers?.[0]?.name ?? '';
  await passLog(invocation, { namespace, pod: name, container: one });
}
