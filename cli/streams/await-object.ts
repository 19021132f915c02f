import { pathSegment } from '#client/path-segment.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../command-line/command.ts';
import type { Target } from '../resources/selection.ts';
import { follow } from './follow.ts';

/** Tests the current state of an object. Undefined means that the object does not exist. */
export type Test = (object: ApiObject | undefined) => boolean;

/**
 * Follows one object until the test returns true for it. Resolves to the object at that time, and the result of the
 * test. The test runs at least once.
 * @param timeoutMs 0 means to check only once
 * @throws NameError for an invalid name, ApiError if the user may not read the object, and the errors of the test
 */
export async function awaitObject(
  invocation: Invocation,
  { type, namespace, name = '' }: Pick<Target, 'type' | 'namespace' | 'name'>,
  timeoutMs: number,
  test: Test,
): Promise<{ readonly object: ApiObject | undefined; readonly met: boolean }> {
  pathSegment(name);
  let object: ApiObject | undefined;
  const look = (seen: ApiObject | undefined): true | undefined => {
    object = seen;
    return test(object) || undefined;
  };
  const met = await follow(invocation, { type, namespace, fieldSelector: `metadata.name=${name}` }, timeoutMs, {
    list: ([first]) => look(first),
    event: (event) => look(event.type === 'DELETED' ? undefined : event.object),
  });
  return { object, met: met === true };
}
