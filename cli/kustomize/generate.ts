import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { configMapData } from '../content/config-map-data.ts';
import { nameHash } from '../content/name-hash.ts';
import { configMapWords, readSources, secretWords } from '../content/sources.ts';
import { CommandError } from '../framework/errors.ts';
import { entries, type Kustomization, localPath, textMap, texts } from './kustomization.ts';
import { originOf } from './origins.ts';
import { isCalled, kindOf, nameIn, namespaceIn, type Resource, rename, resourceOf, text } from './resource.ts';

const GENERATED = { configMapGenerator: 'ConfigMap', secretGenerator: 'Secret' } as const;

/**
 * Adds the config maps and secrets that a file describes, or changes the existing ones.
 * @throws CommandError if a generator is wrong
 */
export function generate(kustomization: Kustomization, resources: Resource[]): void {
  for (const [field, kind] of Object.entries(GENERATED))
    for (const entry of entries(kustomization, field)) {
      const made = generated(kustomization, entry, kind);
      const behavior = text(entry['behavior']) || 'create';
      const present = resources.find(
        (one) =>
          kindOf(one) === kind && isCalled(one, nameIn(made)) && [namespaceIn(one), ''].includes(namespaceIn(made)),
      );
      if (behavior !== 'merge' && behavior !== 'replace') {
        if (present !== undefined)
          throw new CommandError(
            `may not add resource with an already registered id: ${kind}.v1.[noGrp]/${nameIn(made)}.[noNs]`,
          );
        resources.push(made);
        continue;
      }
      if (present === undefined)
        throw new CommandError(`${kind} ${JSON.stringify(nameIn(made))} does not exist; cannot merge or replace`);
      change(present, made, behavior === 'merge');
    }
}

function change(present: Resource, { object, hashed }: Resource, merge: boolean): void {
  if (!hashed) present.hashed = false;
  for (const name of ['immutable', 'type'] as const)
    if (object[name] !== undefined && (name === 'immutable' || !merge)) present.object[name] = object[name];
  for (const name of ['data', 'binaryData'] as const) {
    const [old, added] = [present.object[name], object[name]];
    const all = { ...(merge && isObject(old) ? old : {}), ...(isObject(added) ? added : {}) };
    if (Object.keys(all).length > 0) present.object[name] = all;
    else delete present.object[name];
  }
  for (const name of ['labels', 'annotations']) {
    const [old, added] = [present.object.metadata[name], object.metadata[name]];
    if (isObject(added)) present.object.metadata[name] = { ...(isObject(old) ? old : {}), ...added };
  }
}

function generated(kustomization: Kustomization, entry: JsonObject, kind: string): Resource {
  const { fields } = kustomization;
  const name = text(entry['name']);
  if (name === '') throw new CommandError(`invalid Kustomization: a generated ${kind} has no name`);
  const [shared, own] = [fields['generatorOptions'], entry['options']].map((value) => (isObject(value) ? value : {}));
  const values = new Map<string, Buffer>();
  const files = texts(entry, 'files').map((file) => {
    const at = file.indexOf('=');
    return `${at < 0 ? '' : file.slice(0, at + 1)}${localPath(kustomization, file.slice(at + 1))}`;
  });
  const envFiles = [...texts(entry, 'envs'), ...(text(entry['env']) === '' ? [] : [text(entry['env'])])];
  for (const sources of [
    { files, envFiles: [], literals: texts(entry, 'literals').map(unquoted) },
    { files: [], envFiles: envFiles.map((file) => localPath(kustomization, file)), literals: [], environment: {} },
  ])
    for (const [key, value] of readSources(sources, kind === 'Secret' ? secretWords : configMapWords(name)))
      values.set(key, value);
  const options = (field: string) => ({ ...textMap(shared!, field), ...textMap(own!, field) });
  const [labels, annotations] = [options('labels'), options('annotations')];
  const metadata: JsonObject = {
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...{ name, ...(text(entry['namespace']) === '' ? {} : { namespace: text(entry['namespace']) }) },
  };
  const content = kind === 'ConfigMap' ? configMapData(values) : secretData(values);
  // A setting for all generators applies to each generator.
  const either = (field: string) => shared![field] === true || own![field] === true;
  const immutable = either('immutable') ? { immutable: true } : {};
  const type = kind === 'Secret' ? { type: text(entry['type']) || 'Opaque' } : {};
  const hashed = !either('disableNameSuffixHash');
  const origin = originOf(kustomization, `${kind}Generator`);
  return resourceOf(
    { apiVersion: 'v1', ...content, ...immutable, kind, metadata, ...type } as JsonObject,
    hashed,
    origin,
  );
}

/** `a="b"` means `a=b`. No shell removes the quotes in a file, so this function removes them. */
function unquoted(literal: string): string {
  const [, key, , value] = /^([^=]*=)(["'])(.*)\2$/s.exec(literal) ?? [];
  return key === undefined ? literal : `${key}${value}`;
}

function secretData(values: ReadonlyMap<string, Buffer>): { data?: Record<string, string> } {
  const data = Object.fromEntries([...values].map(([key, value]) => [key, value.toString('base64')]));
  return values.size === 0 ? {} : { data };
}

/** Adds a hash of the content to the name of each generated object. */
export function addHashes(resources: readonly Resource[]): void {
  for (const one of resources.filter(({ hashed }) => hashed)) {
    const { binaryData, data, kind, type } = one.object;
    const hash = nameHash({
      ...(binaryData === undefined ? {} : { binaryData: ordered(binaryData as JsonObject) }),
      ...{ data: data === undefined ? '' : ordered(data as JsonObject), kind, name: '' },
      ...(type === undefined ? {} : { type }),
    });
    rename(one, `${nameIn(one)}-${hash}`);
  }
}

function ordered(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
