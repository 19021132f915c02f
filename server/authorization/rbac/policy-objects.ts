import type { PolicyRule, RoleRef, Subject } from '#schema/generated/rbac.authorization.v1.ts';

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

/** The initial roles and bindings of every cluster. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly BootstrapRole[];
  readonly clusterRoleBindings: readonly BootstrapBinding[];
  readonly roles: readonly BootstrapRole[];
  readonly roleBindings: readonly BootstrapBinding[];
}
