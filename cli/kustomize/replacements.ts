import { cloneJson } from '#base/json/clone-json.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';
import { parseFieldPath, placesOf } from './field-path.ts';
import { entries, type Kustomization, listOf, localPath, readLocal } from './kustomization.ts';
import { nameIn, namespaceIn, type Resource, text, typeOf } from './resource.ts';

/**
 * Copies fields of objects into other objects, as `replacements` requests.
 * @throws CommandError if an entry is wrong
 */
export function replaceFields(kustomization: Kustomization, resources: readonly Resource[]): void {
  for (const entry of entries(kustomization, 'replacements'))
    for (const one of replacementsOf(kustomization, entry)) replace(one, resources);
}

/** The replacements of an entry, or of the file that it names. */
function replacementsOf(kustomization: Kustomization, entry: JsonObject): JsonObject[] {
  const file = text(entry['path']);
  if (file === '') return [entry];
  return parseYamlDocuments(readLocal(kustomization, file).toString(), localPath(kustomization, file))
    .flatMap((document) => (Array.isArray(document) ? document : [document]))
    .map((one) => mapOf(one as JsonValue, `the file ${file}`));
}

function replace(entry: JsonObject, resources: readonly Resource[]): void {
  const targets = listOf(entry, 'targets');
  if (!isObject(entry['source']) || targets.length === 0)
    throw new CommandError('replacements must specify a source and at least one target');
  const value = sourceOf(entry['source'], resources);
  for (const each of targets) {
    const target = mapOf(each, 'a target');
    if (!isObject(target['select'])) throw new CommandError('target must specify resources to select');
    const rejected = listOf(target, 'reject').map((one) => mapOf(one, 'an entry of reject'));
    const found = resources.filter(
      (one) =>
        fits(one, target['select'] as JsonObject) &&
        !rejected.some((not) => Object.keys(not).length > 0 && fits(one, not)),
    );
    const options = mapOf(target['options'] ?? {}, 'options');
    const paths = ((target['fieldPaths'] ?? null) !== null ? listOf(target, 'fieldPaths') : ['metadata.name']).map(
      text,
    );
    for (const one of found) for (const path of paths) put(one, path, value, options);
  }
}

/** The value that a source selects in one object, or a part of the value if the options say so. */
function sourceOf(source: JsonObject, resources: readonly Resource[]): JsonValue {
  const found = resources.filter((one) => fits(one, source));
  const selector = selectorText(source);
  if (found.length === 0) throw new CommandError(`nothing selected by ${selector}`);
  if (found.length > 1) throw new CommandError(`multiple matches for selector ${selector}`);
  const path = text(source['fieldPath']) || 'metadata.name';
  const value = placesOf(found[0]!.object, parseFieldPath(path), false)[0]?.get();
  if (value === undefined)
    throw new CommandError(`fieldPath \`${path}\` is missing for replacement source ${selector}`);
  const options = mapOf(source['options'] ?? {}, 'options');
  const delimiter = text(options['delimiter']);
  if (delimiter === '') return value;
  const parts = String(value).split(delimiter);
  const index = indexIn(options);
  if (index < 0 || index >= parts.length)
    throw new CommandError(`options.index ${index} is out of bounds for value ${String(value)}`);
  return parts[index]!;
}

function put(one: Resource, path: string, value: JsonValue, options: JsonObject): void {
  const places = placesOf(one.object, parseFieldPath(path), options['create'] === true);
  if (places.length === 0) throw new CommandError(`unable to find field ${JSON.stringify(path)} in replacement target`);
  const delimiter = text(options['delimiter']);
  for (const place of places) {
    const before = place.get();
    if (delimiter === '') place.set(isText(path) ? String(value) : cloneJson(value));
    else if (isObject(before) || Array.isArray(before))
      throw new CommandError('delimiter option can only be used with scalar nodes');
    else place.set(spliced(String(before ?? '').split(delimiter), value, options).join(delimiter));
  }
}

/** Whether the values at a path are texts. Labels and annotations are. */
function isText(path: string): boolean {
  return /(^|\.)metadata\.(labels|annotations)\./.test(path);
}

/** Replaces one of the parts of a text. An index before the first or after the last part adds a part at that end. */
function spliced(parts: readonly string[], value: JsonValue, options: JsonObject): readonly string[] {
  const index = indexIn(options);
  const text = String(value);
  if (index < 0) return [text, ...parts];
  return index >= parts.length ? [...parts, text] : parts.with(index, text);
}

const indexIn = (options: JsonObject): number => Number(options['index'] ?? 0);

/**
 * Whether an object matches a selector now, or matched it under an earlier name or namespace. Missing fields of the
 * selector match everything.
 */
function fits(one: Resource, selector: JsonObject): boolean {
  const { group, version, kind } = typeOf(one);
  const wanted = (key: string, ...actual: readonly string[]) =>
    text(selector[key]) === '' || actual.includes(text(selector[key]));
  return (
    wanted('group', group) &&
    wanted('version', version) &&
    wanted('kind', kind) &&
    wanted('name', nameIn(one), ...one.names) &&
    wanted('namespace', namespaceIn(one), ...one.namespaces)
  );
}

/** A selector in the form of messages, such as `Deployment.v1.apps/web.default`. */
function selectorText(selector: JsonObject): string {
  const part = (key: string, none: string) => text(selector[key]) || `[no${none}]`;
  const type = `${part('kind', 'Kind')}.${part('version', 'Ver')}.${part('group', 'Grp')}`;
  return `${type}/${part('name', 'Name')}.${part('namespace', 'Ns')}`;
}

function mapOf(value: JsonValue, what: string): JsonObject {
  if (!isObject(value)) throw new CommandError(`invalid Kustomization: ${what} is not an object`);
  return value;
}
