import type { FakeCollection } from './fake-collection.ts';

/** The answers of a server with these collections below `/api` and `/apis`; undefined for other paths. */
export function discovery(collections: readonly FakeCollection[], path: string): unknown {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    const groups = [...new Set(collections.map(({ group }) => group))].filter((group) => group !== '');
    const versionsOf = (group: string) => [
      ...new Set(collections.filter((c) => c.group === group).map(({ type }) => type.version)),
    ];
    return {
      kind: 'APIGroupList',
      groups: groups.map((name) => ({ name, versions: versionsOf(name).map((version) => ({ version })) })),
    };
  }
  const [, group = '', version] = /^\/(?:api|apis\/([^/]+))\/([^/]+)$/.exec(path) ?? [];
  if (version === undefined) return undefined;
  const own = collections.filter((c) => c.group === group && c.type.version === version);
  if (own.length === 0) return undefined;
  const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  const resources = own.map(({ type: { plural: name, kind, namespaced, verbs = all } }) => ({
    name,
    kind,
    namespaced,
    verbs,
  }));
  return { kind: 'APIResourceList', resources };
}
