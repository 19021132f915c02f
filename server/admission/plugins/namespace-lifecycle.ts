import { forbidden } from '#base/errors/status-error.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { namespaceCondition, requireNamespace } from '../../verbs/namespace-guard.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';

/** The kind of access reviews that may name a namespace that does not exist. */
const FREE = 'localsubjectaccessreviews';

/**
 * Refuses new objects in namespaces that are absent or being terminated, and the deletion of the reserved namespaces.
 * The transaction of a create compares the namespace's revision, so that no create can happen after the deletion.
 */
export function namespaceLifecycle({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const reserved = new Set(['default', naming.prefixed('system'), naming.prefixed('public')]);
  return {
    name: 'NamespaceLifecycle',
    handles: ({ operation, group, resource }) =>
      operation !== 'CONNECT' &&
      (operation === 'DELETE') === (group === '' && resource === 'namespaces') &&
      !(group === 'authorization' && resource === FREE),
    mutate(request: AdmissionRequest) {
      const { served, operation, namespace, name, conditions } = request;
      if (operation === 'DELETE') {
        if (!reserved.has(name)) return undefined;
        throw forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted');
      }
      if (namespace === '' || !served.type.namespaced) return undefined;
      if (operation !== 'CREATE') return requireNamespace(cluster.registry, namespace);
      return namespaceCondition(cluster.registry, served, name, namespace).then((condition) => {
        conditions?.push(condition);
      });
    },
  };
}
