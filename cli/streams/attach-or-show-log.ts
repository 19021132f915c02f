import type { Pod } from '#schema/generated/core.v1.ts';
import type { Invocation } from '../command-line/command.ts';
import { attachTo } from './attach-to.ts';
import { passLog } from './pass-log.ts';

/**
 * Attaches to a running container. If this fails, shows the log of the container.
 *
 * @param container the name of the container, by default the first container of the pod
 * @returns whether the user ended the connection with the detach keys, so that the process still runs
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
