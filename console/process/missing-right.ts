import type { Naming } from '#base/naming/naming.ts';
import { toYaml } from '#schema/yaml/write.ts';

/** A right that a user does not have. */
export interface MissingRight {
  readonly user: string;
  readonly verb: string;
  /** The path, for a right on a path; else ''. */
  readonly path: string;
  /** `pods`, `pods/log`. */
  readonly resource: string;
  readonly group: string;
  /** '' for the whole cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** A client that lists objects also watches them. */
const WITH_OTHERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', ['list', 'watch']],
  ['watch', ['list', 'watch']],
]);

/** Verbs on objects that have no name yet, or on many objects. A rule with names does not allow them. */
const WITHOUT_NAME = new Set(['create', 'list', 'watch', 'deletecollection']);

/**
 * A role and its binding that would give a user exactly this right, as YAML, in the namespace if there is one. The
 * rights to list and to watch are always given together.
 *
 * @example
 * grantOf({ user: 'jane', verb: 'list', resource: 'pods', group: '', namespace: 'shop', name: '', path: '' }, naming)
 */
export function grantOf(right: MissingRight, naming: Naming): string {
  const { verb, path, resource, group, namespace, name } = right;
  const rbac = naming.group('rbac.authorization');
  const isInCluster = namespace === '';
  const title = `${verb}-${path === '' ? resource : path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const metadata = {
    name: title.replace(/^-+|-+$/g, '').slice(0, 60),
    ...(isInCluster ? {} : { namespace }),
  };
  const names = name === '' || WITHOUT_NAME.has(verb) ? {} : { resourceNames: [name] };
  const verbs = WITH_OTHERS.get(verb) ?? [verb];
  const rule =
    path === ''
      ? { apiGroups: [group], resources: [resource], ...names, verbs }
      : { nonResourceURLs: [path], verbs: [verb] };
  const kind = isInCluster ? 'ClusterRole' : 'Role';
  const common = { apiVersion: `${rbac}/v1`, metadata };
  const role = { ...common, kind, rules: [rule] };
  const binding = {
    ...common,
    kind: `${kind}Binding`,
    roleRef: { apiGroup: rbac, kind, name: metadata.name },
    subjects: [subjectOf(right.user, rbac)],
  };
  return `${toYaml(role)}---\n${toYaml(binding)}`;
}

/** Service accounts sign in under names of this form. */
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

function subjectOf(user: string, rbac: string): object {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  return name === undefined
    ? { apiGroup: rbac, kind: 'User', name: user }
    : { kind: 'ServiceAccount', name, namespace };
}
