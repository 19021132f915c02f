import type { ObjectMeta } from '../../schema/api-object.ts';

/** Who controls an object, as tables tell: `daemonset.apps/d`; `<none>` when nobody does. */
export function controllerText({ ownerReferences }: ObjectMeta): string {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
