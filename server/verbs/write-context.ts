import { asObject } from '#schema/objects/as-json.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { WriteContext } from '../api/resource-definition.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from './object-meta.ts';

/** The facts about a write that a kind's rules may use. */
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
    namespaceLabels: () => {
      const { cache } = registry.stored('', 'namespaces');
      const item = cache.get(context.info.namespace);
      return item === undefined ? undefined : asObject(registry.cache.parsed(item)).metadata.labels;
    },
    rests: {},
    warn: (text) => context.warnings.add(text),
  };
}
