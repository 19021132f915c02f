import { jsonEqual } from '#base/json/json-equal.ts';
import type { OwnerReference } from '#schema/objects/api-object.ts';
import { explained } from '../../api/access.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { refusal } from '../refusal.ts';

function blocking(references: readonly OwnerReference[]): OwnerReference[] {
  return references.filter((reference) => reference.blockOwnerDeletion === true);
}

/**
 * An owner reference can cause a deletion or block one. So a user who changes the references of an object needs the
 * right to delete the object. A user who sets `blockOwnerDeletion` needs the right to set the owner's finalizers.
 */
export function ownerReferencesPermissionEnforcement({ cluster, access }: PluginEnvironment): AdmissionPlugin {
  async function requireDelete(request: AdmissionRequest): Promise<void> {
    const { served, subresource, namespace, name, context } = request;
    const answer = await access({
      user: context.user,
      verb: 'delete',
      group: served.group,
      version: served.version,
      resource: served.type.plural,
      subresource,
      namespace,
      name,
    });
    if (answer.allowed) return;
    throw refusal(request, `cannot set an ownerRef on a resource you can't delete: ${explained(answer)}`);
  }

  function ownersOf(request: AdmissionRequest, { apiVersion, kind }: OwnerReference): readonly ServedResource[] {
    const resources = request.context.resources ?? cluster.registry.current();
    const found = resources.ofKind(apiVersion, kind);
    if (found.length > 0) return found;
    throw refusal(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    );
  }

  async function requireFinalizers(request: AdmissionRequest, reference: OwnerReference): Promise<void> {
    for (const { group, version, type } of ownersOf(request, reference)) {
      const answer = await access({
        user: request.context.user,
        verb: 'update',
        group,
        version,
        resource: type.plural,
        subresource: 'finalizers',
        namespace: type.namespaced ? request.namespace : '',
        name: reference.name,
      });
      if (answer.allowed) continue;
      throw refusal(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${explained(answer)}`,
      );
    }
  }

  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: ({ operation, group, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      !(group === '' && resource === 'pods' && subresource === 'status'),
    async validate(request) {
      const references = request.object?.metadata?.ownerReferences ?? [];
      const before = request.oldObject?.metadata.ownerReferences ?? [];
      if (jsonEqual(references, before)) return;
      if (request.operation !== 'CREATE') await requireDelete(request);
      const known = new Set(blocking(before).map(({ uid }) => uid));
      for (const reference of blocking(references)) {
        if (!known.has(reference.uid)) await requireFinalizers(request, reference);
      }
    },
  };
}
