import type { Pod } from '#schema/generated/core.v1.ts';
import type { Invocation } from '../command-line/command.ts';
import { attachTo } from './attach-to.ts';
import { passLog } from './pass-log.ts';

/**
 * Joins a container that runs, or shows its log where that is not possible. `container`: not the one that is meant by
 * default.
 */
export async function attachOrShowLog(invocation: Invocation, pod: Pod, container?: string): Promise<void> {
  const { io } = invocation;
  try {
    await attachTo(invocation, pod, container);
  } catch (error) {
    io.signal.throwIfAborted();
    const why = (error as Error).message;
    io.err.write(`warning: couldn't attach to pod/${pod.metadata.name}, falling back to streaming logs: ${why}\n`);
    await showLog(invocation, pod, container);
  }
}

/** What a container has written so far. */
export async function showLog(invocation: Invocation, pod: Pod, container?: string): Promise<void> {
  const { name = '', namespace = '' } = pod.metadata;
  const one = container ?? pod.spec?.containers?.[0]?.name ?? '';
  await passLog(invocation, { namespace, pod: name, container: one });
}
