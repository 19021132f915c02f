import type { ApiObject } from '#schema/objects/api-object.ts';

/** Whether finalizers keep an object. They are in its metadata, or in the spec of a namespace. */
export function hasFinalizers(object: ApiObject): boolean {
  const own = object.metadata.finalizers ?? [];
  const spec = (object['spec'] as { finalizers?: string[] } | undefined)?.finalizers ?? [];
  return own.length > 0 || (object.kind === 'Namespace' && spec.length > 0);
}

/**
 * The object after a write. A write of the subresource `status` or `approval` changes the status and annotations. A
 * write of another subresource, such as `finalize`, changes everything. A write of the object itself keeps the status.
 *
 * @example
 * const metadata = { name: 'web' };
 * const [before, after] = [{ metadata, spec: { a: 1 } }, { metadata, status: { b: 2 } }];
 * withSubresource(before, after, 'status') // { metadata, spec: { a: 1 }, status: { b: 2 } }
 */
export function withSubresource(before: ApiObject, after: ApiObject, subresource: string | undefined): ApiObject {
  if (subresource === 'status' || subresource === 'approval') {
    // A real server accepts changes of annotations here too.
    const { annotations } = after.metadata ?? {};
    const metadata = annotations === undefined ? before.metadata : { ...before.metadata, annotations };
    return { ...before, metadata, status: after['status'] };
  }
  if (subresource !== undefined || before['status'] === undefined) return after;
  return { ...after, status: before['status'] };
}
