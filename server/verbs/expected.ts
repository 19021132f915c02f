import type { ServedResource } from '../api/served-resource.ts';
import type { Expected } from './decode-body.ts';

/** The requirements for the body of a write to a resource. */
export function expectedOf(served: ServedResource): Expected {
  return { kind: served.type.kind, apiVersion: served.apiVersion, model: served.model };
}
