import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Client } from '../client.ts';
import { type ApiError, isForbidden } from '../errors.ts';
import { grants, type Rule, type Wanted } from './grants.ts';

interface Role extends ApiObject {
  readonly rules?: readonly Rule[] | null;
}

interface Binding extends ApiObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[] | null;
}

/** A right: its subject, the role that grants it, and the binding of this role to the subject. */
export interface Grant {
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace: string };
  readonly role: { readonly kind: string; readonly name: string };
  readonly binding: { readonly kind: string; readonly name: string };
}

/** The roles and bindings that apply in a namespace, as far as the user may read them. */
export class Rights {
  /** The resources that the user may not list (`clusterroles`, `rolebindings`), and the server's refusal. */
  readonly unread: ReadonlyMap<string, ApiError>;
  /** The bindings and the roles, by their kind. */
  readonly #bindings: ReadonlyMap<string, readonly Binding[]>;
  readonly #roles: ReadonlyMap<string, readonly Role[]>;

  private constructor(
    unread: ReadonlyMap<string, ApiError>,
    bindings: ReadonlyMap<string, readonly Binding[]>,
    roles: ReadonlyMap<string, readonly Role[]>,
  ) {
    this.unread = unread;
    this.#bindings = bindings;
    this.#roles = roles;
  }

  /**
   * Reads the roles and bindings.
   *
   * @param namespace undefined for the rights in all namespaces, which only cluster role bindings give
   * @throws ApiError if the server refuses a list, unless the user lacks the right to it
   */
  static async read(client: Client, namespace: string | undefined): Promise<Rights> {
    const root = `/apis/${client.naming.group('rbac.authorization')}/v1`;
    const unread = new Map<string, ApiError>();
    const all = async <T>(resource: string, within = ''): Promise<readonly T[]> => {
      try {
        return (await client.getJson<{ items?: T[] | null }>(`${root}${within}/${resource}`)).items ?? [];
      } catch (error) {
        if (!isForbidden(error)) throw error;
        unread.set(resource, error as ApiError);
        return [];
      }
    };
    const here = `/namespaces/${encodeURIComponent(namespace ?? '')}`;
    const [clusterRoles, clusterBindings, roles, bindings] = await Promise.all([
      all<Role>('clusterroles'),
      all<Binding>('clusterrolebindings'),
      namespace === undefined ? [] : all<Role>('roles', here),
      namespace === undefined ? [] : all<Binding>('rolebindings', here),
    ]);
    return new Rights(
      unread,
      new Map([
        ['ClusterRoleBinding', clusterBindings],
        ['RoleBinding', bindings],
      ]),
      new Map([
        ['ClusterRole', clusterRoles],
        ['Role', roles],
      ]),
    );
  }

  /** The users who may do something, once for each binding that gives the right. */
  whoCan(wanted: Wanted): readonly Grant[] {
    const found: Grant[] = [];
    const granting = new Map(
      [...this.#roles].map(([kind, roles]) => [
        kind,
        new Set(roles.filter(({ rules }) => grants(rules ?? [], wanted)).map(({ metadata }) => metadata.name ?? '')),
      ]),
    );
    for (const [kind, bindings] of this.#bindings)
      for (const { metadata, roleRef, subjects } of bindings) {
        if (roleRef === undefined || !granting.get(roleRef.kind)?.has(roleRef.name)) continue;
        const role = { kind: roleRef.kind, name: roleRef.name };
        const binding = { kind, name: metadata.name ?? '' };
        for (const { kind: type, name, namespace = '' } of subjects ?? [])
          found.push({ subject: { kind: type, name, namespace }, role, binding });
      }
    return found;
  }
}
