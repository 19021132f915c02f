import { isObject, type JsonObject } from '#base/json/json-value.ts';

/** The largest number of resources. A longer list is cut, because no real version has as many kinds. */
const MAX_RESOURCES = 5_000;

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject).slice(0, MAX_RESOURCES) : [];
}

/** A non-empty list as a field. */
function list(name: string, values: readonly unknown[]): JsonObject {
  return values.length === 0 ? {} : ({ [name]: values } as JsonObject);
}

function kindOf(value: unknown): JsonObject {
  const { group, version, kind } = isObject(value) ? value : ({} as JsonObject);
  return { group: text(group), version: text(version), kind: text(kind) };
}

/**
 * The resources of one version in the aggregated discovery document of a server. Undefined if the value is not such a
 * document or does not contain the version. Members that do not belong in the document are left out.
 */
export function fromAggregated(value: unknown, group: string, version: string): JsonObject[] | undefined {
  if (!isObject(value) || value['kind'] !== 'APIGroupDiscoveryList') return undefined;
  const found = objects(value['items'])
    .filter(({ metadata }) => isObject(metadata) && metadata['name'] === group)
    .flatMap(({ versions }) => objects(versions))
    .find((one) => one['version'] === version && one['freshness'] !== 'Stale');
  return (
    found &&
    objects(found['resources']).map((one) => ({
      resource: text(one['resource']),
      responseKind: kindOf(one['responseKind']),
      scope: one['scope'] === 'Cluster' ? 'Cluster' : 'Namespaced',
      singularResource: text(one['singularResource']),
      verbs: texts(one['verbs']),
      ...list('shortNames', texts(one['shortNames'])),
      ...list('categories', texts(one['categories'])),
      ...list(
        'subresources',
        objects(one['subresources']).map((sub) => ({
          subresource: text(sub['subresource']),
          responseKind: kindOf(sub['responseKind']),
          verbs: texts(sub['verbs']),
        })),
      ),
    }))
  );
}

/**
 * Like {@link fromAggregated}, from the classic list of a version, `APIResourceList`. An entry below a resource becomes
 * one of its subresources. Undefined if the value is not such a list.
 */
export function fromList(value: unknown): JsonObject[] | undefined {
  if (!isObject(value) || value['kind'] !== 'APIResourceList') return undefined;
  const entries = new Map<string, JsonObject>();
  const below: [parent: string, subresource: string, entry: JsonObject][] = [];
  for (const one of objects(value['resources'])) {
    const [name = '', ...rest] = text(one['name']).split('/');
    const entry = { responseKind: kindOf(one), verbs: texts(one['verbs']) };
    if (rest.length > 0) {
      below.push([name, rest.join('/'), entry]);
      continue;
    }
    entries.set(name, {
      resource: name,
      ...entry,
      scope: one['namespaced'] === true ? 'Namespaced' : 'Cluster',
      singularResource: text(one['singularName']),
      ...list('shortNames', texts(one['shortNames'])),
      ...list('categories', texts(one['categories'])),
    });
  }
  for (const [parent, subresource, entry] of below) {
    const found = entries.get(parent);
    if (found === undefined) continue;
    const known = found['subresources'];
    found['subresources'] = [...(Array.isArray(known) ? known : []), { subresource, ...entry }];
  }
  return [...entries.values()];
}
