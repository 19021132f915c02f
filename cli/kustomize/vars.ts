import { isObject, type JsonObject, type JsonValue } from '../../server/json/json-value.ts';
import { CommandError } from '../frame/errors.ts';
import { parseFieldPath, placesOf } from './field-path.ts';
import { joined, podTemplates } from './paths.ts';
import { isCalled, kindOf, nameIn, namespaceIn, type Resource, text } from './resource.ts';

/** Where `$(NAME)` is replaced in pods. */
const IN_PODS = [
  ...['containers', 'initContainers'].flatMap((list) =>
    ['args', 'command', 'env/value', 'volumeMounts/mountPath'].map((path) => `spec/${list}/${path}`),
  ),
  'spec/volumes/nfs/server',
];
/** And in objects of other kinds; '' for all. */
const IN_KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', ['metadata/labels', 'metadata/annotations']],
  ['Deployment', ['spec/template/metadata/annotations']],
  ['Ingress', ['spec/rules/host', 'spec/tls/hosts', 'spec/tls/secretName']],
  ['PersistentVolume', ['spec/nfs/server']],
  ['Service', ['spec/ports/port', 'spec/ports/targetPort']],
  ['StatefulSet', ['spec/volumeClaimTemplates/spec/nfs/server']],
]);

/** Adds the variables of a file to those of the files that it builds on. @throws CommandError for a name that is taken */
export function addVars(known: JsonObject[], added: readonly JsonObject[]): void {
  for (const one of added) {
    if (known.some(({ name }) => name === one['name']))
      throw new CommandError(`var '${text(one['name'])}' already encountered`);
    known.push(one);
  }
}

/** Puts the values of variables in the place of `$(NAME)`. @throws CommandError where there is no such field */
export function replaceVars(resources: readonly Resource[], vars: readonly JsonObject[]): void {
  const values = new Map(vars.map((one) => [text(one['name']), meantBy(one, resources)]));
  if (values.size === 0) return;
  for (const one of resources) {
    const kind = kindOf(one);
    const paths = [
      ...podTemplates(kind).flatMap((template) => IN_PODS.map((path) => joined(template, path))),
      ...(IN_KINDS.get('') ?? []),
      ...(IN_KINDS.get(kind) ?? []),
    ];
    for (const path of paths) one.object = changed(one.object, path.split('/'), values) as Resource['object'];
  }
}

function meantBy(one: JsonObject, resources: readonly Resource[]): JsonValue {
  const { apiVersion, kind, name, namespace } = objectIn(one, 'objref');
  const found = resources.filter(
    (other) =>
      kindOf(other) === kind &&
      isCalled(other, text(name)) &&
      (text(apiVersion) === '' || other.object['apiVersion'] === apiVersion) &&
      (text(namespace) === '' || [namespaceIn(other), ...other.namespaces].includes(text(namespace))),
  );
  const what = `var '${text(one['name'])}'`;
  if (found.length === 0) throw new CommandError(`${what} cannot be mapped to a field in the set of known resources`);
  if (found.length > 1)
    throw new CommandError(`found ${found.length} resources that ${what} may mean: ${found.map(nameIn).join(', ')}`);
  const path = text(objectIn(one, 'fieldref')['fieldpath']) || 'metadata.name';
  // as in `ports[0]`
  const steps = parseFieldPath(path.replaceAll(/(?<=[^.])\[/g, '.['));
  const value = placesOf(found[0]!.object, steps, false)[0]?.get();
  if (value === undefined) throw new CommandError(`field specified in ${what} '${path}' not found in its object`);
  return value;
}

function objectIn(one: JsonObject, field: string): JsonObject {
  const value = one[field];
  return isObject(value) ? value : {};
}

function changed(value: JsonValue, path: readonly string[], values: ReadonlyMap<string, JsonValue>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => changed(item, path, values));
  const [first, ...rest] = path;
  if (isObject(value)) {
    const below = (name: string, inner: JsonValue): JsonValue =>
      first === undefined ? changed(inner, [], values) : name === first ? changed(inner, rest, values) : inner;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, below(name, inner)]));
  }
  return first === undefined && typeof value === 'string' ? expanded(value, values) : value;
}

/** A text with its variables replaced; one that is a variable alone becomes its value. `$$` is a dollar. */
function expanded(value: string, values: ReadonlyMap<string, JsonValue>): JsonValue {
  const alone = /^\$\(([^()]*)\)$/.exec(value)?.[1];
  if (alone !== undefined) return values.get(alone) ?? value;
  return value.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    const known = values.get(name);
    return known === undefined ? whole : isObject(known) ? whole : String(known);
  });
}
