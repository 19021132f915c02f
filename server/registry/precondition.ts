import { resourceVersion } from '../api/parse-query.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { versionRequired } from './validate.ts';

/**
 * The version that a merge into the live object compares, 0 for none: the merged object's, unless it is the one that the
 * live object had. Throws 400 on what is no version, and 422 where the kind insists on one and it was taken out.
 */
export function precondition(
  served: ServedResource,
  name: string,
  merged: string | undefined,
  live: ApiObject,
): number {
  const text = merged ?? '';
  if (text === live.metadata.resourceVersion) return 0;
  const version = resourceVersion(text) ?? 0;
  if (version === 0 && !served.type.unconditionalUpdate) throw versionRequired(served, name);
  return version;
}
