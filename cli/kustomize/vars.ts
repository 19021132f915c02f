import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { parseFieldPath, placesOf } from './field-path.ts';
import { changeField, type FieldSpec, isOf } from './field-specs.ts';
import type { Building } from './kustomization.ts';
import { isCalled, kindOf, nameIn, namespaceIn, type Resource, text } from './resource.ts';

/**
 * Adds the variables of a file to the variables of the files on which it builds.
 * @throws CommandError if a name is already in use
 */
export function addVars(known: JsonObject[], added: readonly JsonObject[]): void {
  for (const one of added) {
    if (known.some(({ name }) => name === one['name']))
      throw new CommandError(`var '${text(one['name'])}' already encountered`);
    known.push(one);
  }
}

/** Replaces `$(NAME)` by the values of variables. @throws CommandError if there is no such field */
export function replaceVars(
  resources: readonly Resource[],
  vars: readonly JsonObject[],
  fields: readonly FieldSpec[],
  { warn }: Building,
): void {
  const values = new Map(vars.map((one) => [text(one['name']), meantBy(one, resources)]));
  if (values.size === 0) return;
  const unused = new Set(values.keys());
  const found = (name: string) => {
    unused.delete(name);
    return values.get(name);
  };
  for (const one of resources)
    for (const field of fields)
      if (isOf(one, field))
        changeField(
          one,
          field,
          (value) => changed(value, found),
          () => '',
        );
  if (unused.size > 0) warn?.(`well-defined vars that were never replaced: ${[...unused].join(',')}`);
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
  // The step has the form `ports[0]`.
  const steps = parseFieldPath(path.replaceAll(/(?<=[^.])\[/g, '.['));
  const value = placesOf(found[0]!.object, steps, false)[0]?.get();
  if (value === undefined) throw new CommandError(`field specified in ${what} '${path}' not found in its object`);
  return value;
}

function objectIn(one: JsonObject, field: string): JsonObject {
  const value = one[field];
  return isObject(value) ? value : {};
}

/** Finds the value of a variable. Undefined means that there is none. */
type Find = (name: string) => JsonValue | undefined;

function changed(value: JsonValue, find: Find): JsonValue {
  if (Array.isArray(value)) return value.map((item) => changed(item, find));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, changed(inner, find)]));
  return typeof value === 'string' ? expanded(value, find) : value;
}

/**
 * A text with its variables replaced. A text that consists of a single variable becomes the variable's value. `$$`
 * means a dollar sign.
 */
function expanded(value: string, find: Find): JsonValue {
  const alone = /^\$\(([^()]*)\)$/.exec(value)?.[1];
  if (alone !== undefined) return find(alone) ?? value;
  return value.replaceAll(/\$(?:\$|\(([^()]*)\))/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    const known = find(name);
    return known === undefined || isObject(known) ? whole : String(known);
  });
}
