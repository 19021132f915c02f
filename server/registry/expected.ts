import type { Expected } from './decode-body.ts';
import type { ServedResource } from './served-resource.ts';

/** What the body of a write to a resource must be. */
export function expectedOf(served: ServedResource): Expected {
  return { kind: served.type.kind, apiVersion: served.apiVersion, message: served.type.message };
}
