import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import { applyPatch } from '#schema/patch/apply-patch.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import { CommandError } from '../framework/errors.ts';
import { labelsFit, parseLabelSelector } from '../manifests/label-selector.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';
import { entries, type Kustomization, readLocal, texts } from './kustomization.ts';
import { patchedFirst } from './patched-first.ts';
import { isCalled, kindOf, namespaceIn, type Resource, rename, text, typeOf } from './resource.ts';

/** Applies `patchesStrategicMerge` and `patches`. @throws CommandError if a patch is wrong */
export function applyPatches(kustomization: Kustomization, resources: Resource[]): void {
  for (const patch of texts(kustomization.fields, 'patchesStrategicMerge'))
    for (const document of parsed(/^\s*\{|\n/.test(patch) ? patch : fileText(kustomization, patch)))
      merge(resources, document, undefined, {});
  for (const entry of entries(kustomization, 'patches')) apply(kustomization, resources, entry);
}

/** Applies `patchesJson6902`, whose targets have the new names. @throws CommandError if a patch is wrong */
export function applyJsonPatches(kustomization: Kustomization, resources: Resource[]): void {
  for (const entry of entries(kustomization, 'patchesJson6902')) apply(kustomization, resources, entry);
}

function apply(kustomization: Kustomization, resources: Resource[], entry: JsonObject): void {
  const file = text(entry['path']);
  const target = isObject(entry['target']) ? entry['target'] : undefined;
  for (const document of parsed(file === '' ? text(entry['patch']) : fileText(kustomization, file))) {
    if (!Array.isArray(document)) {
      merge(resources, document, target, isObject(entry['options']) ? entry['options'] : {});
      continue;
    }
    if (target === undefined) throw new CommandError('must specify a target for JSON patch');
    for (const one of targets(resources, target)) patched(one, 'json', document);
  }
}

function fileText(kustomization: Kustomization, file: string): string {
  return readLocal(kustomization, file).toString();
}

function parsed(body: string): JsonValue[] {
  return parseYamlDocuments(body, 'patch', true).filter((one) => one !== null && one !== undefined) as JsonValue[];
}

function merge(resources: Resource[], document: JsonValue, target: JsonObject | undefined, options: JsonObject): void {
  if (!isObject(document)) throw new CommandError('a patch is neither an object nor a list of operations');
  const { $patch, kind, metadata } = document;
  const { name, namespace } = isObject(metadata) ? metadata : {};
  const found =
    target === undefined
      ? resources.filter(
          (one) =>
            kindOf(one) === kind &&
            isCalled(one, text(name)) &&
            (text(namespace) === '' || [namespaceIn(one), ...one.namespaces].includes(text(namespace))),
        )
      : targets(resources, target);
  if (target === undefined && found.length === 0)
    throw new CommandError(`no resource matches strategic merge patch "${text(kind)}/${text(name)}"`);
  for (const one of found) {
    if ($patch === 'delete') resources.splice(resources.indexOf(one), 1);
    else patched(one, 'strategic', document, options);
  }
}

/** The objects that match all fields of a target. Names and namespaces are regular expressions. */
function targets(resources: readonly Resource[], target: JsonObject): Resource[] {
  const fits = (wanted: string, ...actual: readonly string[]) =>
    wanted === '' || actual.some((one) => new RegExp(`^(?:${wanted})$`).test(one));
  const [group, version, kind, name, namespace] = ['group', 'version', 'kind', 'name', 'namespace'].map((key) =>
    text(target[key]),
  );
  const selected = (selector: string, values: JsonValue | undefined) => {
    const words = (mistake: string) => `a patch's target cannot be read: ${mistake}`;
    return labelsFit((isObject(values) ? values : {}) as Record<string, string>, parseLabelSelector(selector, words));
  };
  try {
    return resources.filter((one) => {
      const own = typeOf(one);
      const { metadata } = one.object;
      return (
        fits(kind!, own.kind) &&
        fits(group!, own.group) &&
        fits(version!, own.version) &&
        fits(name!, text(metadata['name']), ...one.names) &&
        fits(namespace!, namespaceIn(one), ...one.namespaces) &&
        selected(text(target['labelSelector']), metadata['labels']) &&
        selected(text(target['annotationSelector']), metadata['annotations'])
      );
    });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`a patch's target cannot be read: ${(error as Error).message}`);
  }
}

/** Restores kind and name after a patch, unless options allow the patch to change them. */
function patched(one: Resource, how: 'json' | 'strategic', patch: JsonValue, options: JsonObject = {}): void {
  const { kind, metadata, apiVersion } = one.object;
  let after: JsonObject;
  try {
    const message = how === 'strategic' ? messageOf(one) : undefined;
    after = applyPatch(how, message, one.object, patch);
    if (message !== undefined) patchedFirst(after, patch as JsonObject, shapeOf(message));
  } catch (error) {
    throw new CommandError(`${kindOf(one)} ${text(metadata['name'])} cannot be patched: ${(error as Error).message}`);
  }
  const { namespace } = metadata;
  const changed = { ...(isObject(after['metadata']) ? after['metadata'] : {}) };
  if (how === 'json') {
    one.object = { ...after, metadata: changed };
    return;
  }
  const place = namespace === undefined ? {} : { namespace };
  one.object = {
    ...after,
    ...(options['allowKindChange'] === true ? {} : { apiVersion: apiVersion!, kind: kind! }),
    metadata: { ...changed, name: metadata['name']!, ...place },
  };
  if (options['allowNameChange'] === true) rename(one, text(changed['name']));
}

/** The message type, which defines how lists of a kind merge. Undefined for kinds that are not built in. */
function messageOf({ object }: Resource): MessageType | undefined {
  const [version = '', group = ''] = text(object['apiVersion']).split('/').reverse();
  for (const profile of namingProfiles) {
    const naming = createNaming(profile);
    const short = group === '' ? '' : naming.shortGroup(group);
    const message = short === undefined ? undefined : loadSchema(naming).kind(short, version, text(object['kind']));
    if (message !== undefined) return message;
  }
  return undefined;
}
