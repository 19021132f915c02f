import { requireNamespace } from '../../verbs/namespace-guard.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';

/** Refuses all requests in namespaces that do not exist. */
export function namespaceExists({ cluster }: PluginEnvironment): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    handles: ({ operation, group, resource }) =>
      operation !== 'CONNECT' && !(group === '' && resource === 'namespaces'),
    async validate({ served, namespace, operation, conditions }) {
      if (namespace === '' || !served.type.namespaced) return;
      const { registry } = cluster;
      await requireNamespace(registry, namespace);
      if (operation !== 'CREATE') return;
      const { cache, keyPrefix } = registry.stored('', 'namespaces');
      const item = cache.get(namespace);
      if (item !== undefined) conditions?.push({ key: keyPrefix + namespace, revision: item.revision });
    },
  };
}
