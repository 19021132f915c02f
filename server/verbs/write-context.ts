import type { RequestContext } from '../api/request-context.ts';
import type { WriteContext } from '../api/resource-definition.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from './object-meta.ts';

/** What a kind's rules may know about a write. */
export function writeContext(
  registry: Registry,
  served: ServedResource,
  context: RequestContext,
  dryRun: boolean,
): WriteContext {
  return {
    naming: registry.naming,
    gates: registry.gates,
    release: registry.schema.release,
    user: context.user,
    dryRun,
    allowPrivileged: registry.options.allowPrivileged,
    now: timestamp(),
    group: served.type.group,
    version: served.version,
    warn: (text) => context.warnings.add(text),
  };
}
