import { jsonEqual } from '#base/json/json-equal.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Allocation, AllocationContext } from '../../api/resource-definition.ts';
import { markPolicies } from '../../resources/policy-marker.ts';

/** Adds a mark for all replicas to a write that changes the policies in force. */
export async function leaveMark(
  object: ApiObject | undefined,
  old: ApiObject | undefined,
  { etcdPrefix }: AllocationContext,
): Promise<Allocation | undefined> {
  const isSame = object !== undefined && old !== undefined && jsonEqual(specOf(object), specOf(old));
  return isSame ? undefined : { conditions: [], writes: [markPolicies(etcdPrefix)] };
}

function specOf(object: ApiObject): JsonValue {
  return (object['spec'] ?? null) as JsonValue;
}
