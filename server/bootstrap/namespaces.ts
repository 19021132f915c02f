import type { Registry } from '../resources/registry.ts';
import { ensureObjects } from '../verbs/ensure-objects.ts';

/** Creates the missing ones of these namespaces. */
export async function ensureNamespacesNamed(registry: Registry, names: readonly string[]): Promise<void> {
  const { naming } = registry;
  const objects = names.map((name) => ({
    metadata: { name, labels: { [naming.key('metadata.name')]: name } },
  }));
  const given = { spec: { finalizers: [naming.product] }, status: { phase: 'Active' } };
  await ensureObjects(registry, registry.stored('', 'namespaces'), objects, given);
}

/** Creates the namespaces that every cluster has: for users, for the system, for public data and for node leases. */
export async function ensureNamespaces(registry: Registry): Promise<void> {
  const { naming } = registry;
  const names = ['default', naming.prefixed('system'), naming.prefixed('public'), naming.prefixed('node-lease')];
  await ensureNamespacesNamed(registry, names);
}
