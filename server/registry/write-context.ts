import type { RequestContext } from '../http/request-context.ts';
import { timestamp } from './object-meta.ts';
import type { Registry } from './registry.ts';
import type { WriteContext } from './resource-definition.ts';
import type { ServedResource } from './served-resource.ts';

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
    user: context.user,
    dryRun,
    allowPrivileged: registry.allowPrivileged,
    now: timestamp(),
    group: served.type.group,
    version: served.version,
    warn: (text) => context.warnings.add(text),
  };
}
