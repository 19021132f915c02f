import { own } from '#base/collections/own-properties.ts';
import { atOnce } from '#base/time/steps.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { uncovered } from './covers.ts';
import type { BootstrapBinding, BootstrapRole } from './policy-objects.ts';

/** The change that one object needs: none, an update, or a replacement. */
export type Reconciled<T> =
  | { readonly action: 'keep' }
  | { readonly action: 'update'; readonly object: T }
  | { readonly action: 'replace' };

const KEEP = { action: 'keep' } as const;

/** The wanted entries. An entry whose key exists has its existing value. Undefined if no wanted key is missing. */
function completed(
  there: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const missing = Object.keys(wanted).some((key) => own(there, key) === undefined);
  return missing ? { ...wanted, ...there } : undefined;
}

function completedMetadata(
  { metadata }: ApiObject,
  wanted: BootstrapRole | BootstrapBinding,
): ApiObject['metadata'] | undefined {
  const labels = completed(metadata.labels, wanted.labels);
  const annotations = completed(metadata.annotations, wanted.annotations);
  if (labels === undefined && annotations === undefined) return undefined;
  return { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) };
}

/** Adds the rights, labels and selectors that a bootstrap role lacks. Additions of users stay. */
export function reconcileRole(there: ClusterRole, wanted: BootstrapRole): Reconciled<ClusterRole> {
  const metadata = completedMetadata(there, wanted);
  const rules = atOnce(uncovered(there.rules ?? [], wanted.rules ?? [], Number.POSITIVE_INFINITY));
  const selectors = (wanted.aggregationRule?.clusterRoleSelectors ?? []).filter(
    (selector) =>
      !(there.aggregationRule?.clusterRoleSelectors ?? []).some(
        (present) => JSON.stringify(present) === JSON.stringify(selector),
      ),
  );
  if (metadata === undefined && rules.length === 0 && selectors.length === 0) return KEEP;
  const object: ClusterRole = { ...there, ...(metadata && { metadata }) };
  if (rules.length > 0) object.rules = [...(there.rules ?? []), ...(rules as PolicyRule[])];
  if (selectors.length > 0) {
    const present = there.aggregationRule?.clusterRoleSelectors ?? [];
    object.aggregationRule = { clusterRoleSelectors: [...present, ...selectors] };
  }
  return { action: 'update', object };
}

/** Adds the subjects and labels that a bootstrap binding lacks. A binding to another role is replaced. */
export function reconcileBinding(there: RoleBinding, wanted: BootstrapBinding): Reconciled<RoleBinding> {
  const { roleRef } = wanted;
  if (there.roleRef.kind !== roleRef.kind || there.roleRef.name !== roleRef.name) return { action: 'replace' };
  const metadata = completedMetadata(there, wanted);
  const present = there.subjects ?? [];
  const subjects = (wanted.subjects ?? []).filter(
    ({ kind, name, namespace = '' }) =>
      !present.some((one) => one.kind === kind && one.name === name && (one.namespace ?? '') === namespace),
  );
  if (metadata === undefined && subjects.length === 0) return KEEP;
  const object: RoleBinding = { ...there, ...(metadata && { metadata }) };
  if (subjects.length > 0) object.subjects = [...present, ...subjects];
  return { action: 'update', object };
}
