import type { Naming } from '#base/naming/naming.ts';
import type { PolicyRule, RoleRef, Subject } from '#schema/generated/rbac.authorization.v1.ts';
import policy from './bootstrap-policy.json' with { type: 'json' };

interface BootstrapObject {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface BootstrapRole extends BootstrapObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly { readonly matchLabels: Readonly<Record<string, string>> }[];
  };
}

export interface BootstrapBinding extends BootstrapObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

/** The roles and bindings that every cluster starts with. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly BootstrapRole[];
  readonly clusterRoleBindings: readonly BootstrapBinding[];
  readonly roles: readonly BootstrapRole[];
  readonly roleBindings: readonly BootstrapBinding[];
}

function translated(value: unknown, naming: Naming): unknown {
  if (typeof value === 'string') return naming.translate(value);
  if (Array.isArray(value)) return value.map((entry) => translated(entry, naming));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [naming.translate(key), translated(entry, naming)]),
  );
}

/** The objects of bootstrap-policy.json (names, rules and subjects as a fresh server has them) in a profile's words. */
export function bootstrapPolicy(naming: Naming): BootstrapPolicy {
  return translated(policy, naming) as BootstrapPolicy;
}
