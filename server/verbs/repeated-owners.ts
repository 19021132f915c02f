import { askedBefore } from '#base/collections/asked-before.ts';
import type { ApiObject, OwnerReference } from '#schema/objects/api-object.ts';
import type { RequestContext } from '../api/request-context.ts';

/**
 * Merges owner references that are equal in all fields into the first of them, and warns about the others. References
 * to one owner that differ in a field stay. `admitted` means that admission has seen the object.
 */
export function mergeRepeatedOwners(object: ApiObject, context: RequestContext, admitted: boolean): void {
  const { ownerReferences } = object.metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return;
  const again = askedBefore<string>();
  const kept: OwnerReference[] = [];
  const repeated: string[] = [];
  for (const reference of ownerReferences) {
    const fields = Object.entries(reference).sort(([a], [b]) => (a < b ? -1 : 1));
    if (again(JSON.stringify(fields))) repeated.push(reference.uid ?? '');
    else kept.push(reference);
  }
  if (repeated.length === 0) return;
  object.metadata.ownerReferences = kept;
  const when = admitted ? ' after mutating admission happens' : '';
  context.warnings.add(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}
