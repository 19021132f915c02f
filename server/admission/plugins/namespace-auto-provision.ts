import { FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { invalid } from '#base/errors/status-error.ts';
import { ensureNamespacesNamed } from '../../bootstrap/namespaces.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { refusal } from '../refusal.ts';

const NAME = new FieldPath('metadata').child('name');

/** Creates a namespace when a request first uses it. */
export function namespaceAutoProvision({ cluster }: PluginEnvironment): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: ({ operation, group, resource }) =>
      operation === 'CREATE' &&
      !(group === '' && resource === 'namespaces') &&
      // A read does not create the namespace.
      !(group === 'authorization' && resource === 'localsubjectaccessreviews'),
    async mutate(request) {
      const { served, namespace, dryRun } = request;
      if (namespace === '' || !served.type.namespaced || dryRun) return;
      const { registry } = cluster;
      const { cache, rules } = registry.stored('', 'namespaces');
      if (cache.get(namespace) !== undefined) return;
      const problems = rules.validateName?.(namespace) ?? [];
      if (problems.length > 0) {
        const errors = problems.map((problem) => invalidValue(NAME, namespace, problem));
        throw refusal(request, invalid({ group: '', kind: 'Namespace' }, namespace, errors).message);
      }
      await ensureNamespacesNamed(registry, [namespace]);
    },
  };
}
