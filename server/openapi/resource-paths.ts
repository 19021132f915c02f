import { append } from '#base/collections/append.ts';
import { table } from '#base/collections/own-properties.ts';
import type { SubresourceType } from '#schema/descriptors/types.ts';
import type { DocumentedResource } from './message-definitions.ts';
import type { Method, Operation, OperationKind, PathItem, Paths } from './model.ts';
import { upperFirst } from './operation-names.ts';
import {
  inPath,
  type OperationsOptions,
  type Place,
  queryOf,
  ResourceOperations,
  type Typed,
} from './resource-operations.ts';

/** The methods for the verbs of a subresource that connects the client with another program. */
const CONNECTING: Readonly<Record<string, Method>> = table({
  get: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
});

/** Methods without a separate verb. The server forwards them if it forwards all other methods. */
const WITHOUT_VERB: readonly Method[] = ['head', 'options'];

/** The path of a group version: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** The paths of a resource: collections, objects, subresources, and for built-in resources the old paths of watches. */
export function resourcePaths(options: OperationsOptions, served: DocumentedResource): Paths {
  const { type } = served;
  const operations = new ResourceOperations(options, served);
  const paths = new Map<string, PathItem>();
  const add = (path: string, item: Partial<Record<Method, Operation | false>>): void => {
    const entries = Object.entries(item).filter(([, operation]) => operation !== false);
    if (entries.length > 0) paths.set(path, Object.fromEntries(entries) as PathItem);
  };
  const can = (verb: string): boolean => type.verbs.includes(verb);

  const base = groupVersionPath(served.group, served.version);
  const places = placesOf(served, base);
  add(places.collection.path, {
    get: can('list') && operations.list(places.collection, ''),
    post: can('create') && operations.create(places.collection, operations.own),
    delete: can('deletecollection') && operations.deleteCollection(places.collection),
  });
  add(places.object.path, {
    ...view(operations, places.object, operations.own, type.verbs),
    delete: can('delete') && operations.delete(places.object),
  });
  if (type.namespaced && can('list')) {
    add(places.everywhere.path, { get: operations.list(places.everywhere, 'ForAllNamespaces') });
  }
  for (const sub of type.subresources) {
    for (const [path, item] of subresourcePaths(options, operations, served, places.object, sub)) add(path, item);
  }
  if (can('watch') && served.model.message !== undefined) {
    const watched = placesOf(served, `${base}/watch`);
    add(watched.collection.path, { get: operations.watch(watched.collection, 'watchlist', 'List') });
    add(watched.object.path, { get: operations.watch(watched.object, 'watch', '') });
    if (type.namespaced) {
      const all = watched.everywhere;
      add(all.path, { get: operations.watch(all, 'watchlist', 'ListForAllNamespaces') });
    }
  }
  return paths;
}

function placesOf(served: DocumentedResource, base: string): Record<'collection' | 'object' | 'everywhere', Place> {
  const { plural, kind, namespaced } = served.type;
  const path = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  const parameters = namespaced ? inPath('namespace') : [];
  const words = namespaced ? `Namespaced${kind}` : kind;
  return {
    collection: { path, parameters, words },
    object: { path: `${path}/{name}`, parameters: [...parameters, ...inPath('name')], words },
    everywhere: { path: `${base}/${plural}`, parameters: [], words: kind },
  };
}

/** The operations that read and change an object or a view of it. */
function view(operations: ResourceOperations, place: Place, typed: Typed, verbs: readonly string[]) {
  return {
    get: verbs.includes('get') && operations.read(place, typed),
    put: verbs.includes('update') && operations.replace(place, typed),
    patch: verbs.includes('patch') && operations.patch(place, typed),
  };
}

function subresourcePaths(
  { schema, definitions, naming }: OperationsOptions,
  operations: ResourceOperations,
  { type, version, model }: DocumentedResource,
  object: Place,
  sub: SubresourceType,
): [path: string, item: Partial<Record<Method, Operation | false>>][] {
  const name = upperFirst(sub.name);
  const place: Place = { ...object, path: `${object.path}/${sub.name}`, words: object.words + name };
  const [kindGroup, kindVersion] = [sub.group ?? type.group, sub.version ?? version];
  if (model.message === undefined && sub.group === undefined) {
    return [[place.path, view(operations, place, operations.own, sub.verbs)]];
  }
  const message = schema.kind(kindGroup, kindVersion, sub.kind);
  if (message === undefined) throw new Error(`proto/ has no kind ${sub.kind} for ${type.plural}/${sub.name}`);
  const kind: OperationKind = { group: naming.group(kindGroup), version: kindVersion, kind: sub.kind };
  if (!message.published) {
    const parameters = queryOf(message);
    const here = { ...place, parameters: [...place.parameters, ...parameters] };
    const items: [string, PathItem][] = [[here.path, connections(operations, sub, here, kind)]];
    if (parameters.some((parameter) => parameter.name === 'path')) {
      const below: Place = {
        path: `${place.path}/{path}`,
        parameters: [...here.parameters, ...inPath('path')],
        words: `${place.words}WithPath`,
      };
      items.push([below.path, connections(operations, sub, below, kind)]);
    }
    return items;
  }
  const options = schema.kind(type.group, version, `${type.kind}${name}Options`);
  if (options !== undefined) return [[place.path, { get: operations.readText(place, kind, options) }]];
  const typed = { content: definitions.of(message), kind: model.message === undefined ? operations.own.kind : kind };
  const create = sub.verbs.includes('create') && operations.create(place, typed);
  return [[place.path, { ...view(operations, place, typed, sub.verbs), post: create }]];
}

function connections(
  operations: ResourceOperations,
  sub: SubresourceType,
  place: Place,
  kind: OperationKind,
): PathItem {
  const named = Object.keys(CONNECTING).filter((verb) => sub.verbs.includes(verb));
  const methods = named.map((verb) => CONNECTING[verb]!);
  if (methods.length === Object.keys(CONNECTING).length) append(methods, WITHOUT_VERB);
  return Object.fromEntries(methods.map((method) => [method, operations.connect(method, place, kind)]));
}
