import { ApiError } from '#client/errors.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import type { Invocation } from '../command-line/command.ts';
import { CommandError } from '../framework/errors.ts';
import { awaitObject } from './await-object.ts';
import { podType } from './pod-of.ts';

/**
 * Resolves to a pod when it is in the requested state.
 * @throws CommandError after the timeout, ApiError if the pod is deleted
 */
export async function followPod(
  invocation: Invocation,
  { name = '', namespace }: Pick<ObjectMeta, 'name' | 'namespace'>,
  timeoutMs: number,
  isRight: (pod: Pod) => boolean,
): Promise<Pod> {
  const type = await podType(invocation.session);
  let seen = false;
  const { object, met } = await awaitObject(invocation, { type, namespace, name }, timeoutMs, (found) => {
    if (found === undefined && seen) throw gone(name);
    seen = found !== undefined;
    return found !== undefined && isRight(found as unknown as Pod);
  });
  if (!met) throw new CommandError('timed out waiting for the condition');
  return object as unknown as Pod;
}

function gone(name: string): ApiError {
  return new ApiError(404, { kind: 'Status', code: 404, reason: 'NotFound', message: `pods "${name}" not found` });
}
