import { ensureNamespacesNamed } from '../../kinds/bootstrap/namespaces.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';

/** Makes namespaces when they are first used. */
export function namespaceAutoProvision({ cluster }: PluginEnvironment): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: ({ operation, group, resource }) =>
      operation === 'CREATE' &&
      !(group === '' && resource === 'namespaces') &&
      // looking is not using
      resource !== 'localsubjectaccessreviews',
    async mutate({ served, namespace, dryRun }) {
      if (namespace === '' || !served.type.namespaced || dryRun) return;
      const { registry } = cluster;
      const { cache, rules } = registry.stored('', 'namespaces');
      if (cache.get(namespace) !== undefined || (rules.validateName?.(namespace) ?? []).length > 0) return;
      await ensureNamespacesNamed(registry, [namespace]);
    },
  };
}
