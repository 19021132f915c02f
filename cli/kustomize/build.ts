import { statSync } from 'node:fs';
import path from 'node:path';
import { cloneJson } from '#base/json/clone-json.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { CommandError } from '../framework/errors.ts';
import { objectsIn } from '../manifests/documents.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';
import { configuredSpecs } from './configurations.ts';
import { crdSpecs } from './crds.ts';
import { changeField, type FieldSpec, type FieldSpecs, isOf, mergeSpecs, noSpecs } from './field-specs.ts';
import { fileWords } from './file-words.ts';
import { addHashes, generate } from './generate.ts';
import { replaceImages } from './images.ts';
import {
  type Building,
  entries,
  type Kustomization,
  MissingFileError,
  readKustomization,
  readLocal,
  textMap,
  texts,
  type Where,
} from './kustomization.ts';
import { addLabels } from './labels.ts';
import { inOrder } from './order.ts';
import { noteChange, originOfFile, writeOrigins } from './origins.ts';
import { applyJsonPatches, applyPatches } from './patch.ts';
import { visitObjects } from './paths.ts';
import { followNames } from './references.ts';
import { replaceFields } from './replacements.ts';
import {
  isCalled,
  isNamespaced,
  kindOf,
  nameIn,
  namespaceIn,
  type Origin,
  type Resource,
  rename,
  resourceOf,
  text,
  typeText,
} from './resource.ts';
import { addVars, replaceVars } from './vars.ts';

/** The limits for nested folders and for objects. Real kustomizations stay below them. */
const DEEPEST = 50;
const MOST_OBJECTS = 20_000;

/** Objects of these kinds keep their names, because other systems define these names. */
const KEEP_NAMES = ['Namespace', 'CustomResourceDefinition', 'APIService'];

/**
 * The objects that a folder describes, in the order in which they can be created.
 * @throws CommandError for a mistake in the files
 */
export async function buildKustomization(folder: string, building: Building = {}): Promise<ApiObject[]> {
  const built: Built = { resources: [], vars: [], specs: noSpecs };
  const kustomization = await accumulate({ folder, within: '', building }, [], built);
  const { resources, vars, specs } = built;
  addHashes(resources);
  followNames(resources, specs);
  replaceVars(resources, vars, specs.varReference, building);
  const shown = resources.filter(isShown);
  writeOrigins(kustomization, shown);
  return inOrder(shown, kustomization.fields['sortOptions']).map(({ object }) => asObject(object));
}

/** The objects, variables and fields that have been collected. */
interface Built {
  readonly resources: Resource[];
  readonly vars: JsonObject[];
  /** The fields that transformations change. Fields that a folder adds also apply to folders that build on it. */
  specs: FieldSpecs;
}

const LOCAL = fileWords.key('config/local-config');

/** Whether an object is hidden, because it exists only to provide values for other objects. */
function isShown({ object }: Resource): boolean {
  const { annotations } = object.metadata;
  return !isObject(annotations) || (annotations[LOCAL] ?? 'false') === 'false';
}

/** Adds the objects of a folder to the existing ones. A component also changes the existing objects. */
async function accumulate(where: Where, above: readonly string[], built: Built): Promise<Kustomization> {
  const kustomization = readKustomization(where);
  const { resources, vars } = built;
  const chain = [...above, kustomization.folder];
  if (above.includes(kustomization.folder))
    throw new CommandError(
      `cycle detected: candidate root '${kustomization.folder}' contains visited root '${where.folder}'`,
    );
  if (chain.length > DEEPEST) throw new CommandError(`more than ${DEEPEST} folders include one another`);
  const { fields } = kustomization;
  for (const entry of [...texts(fields, 'resources'), ...texts(fields, 'bases')]) {
    for (const one of await accumulateEntry(kustomization, entry, chain, built)) {
      const same = resources.find(
        (other) => sameKind(one, other) && nameIn(one) === nameIn(other) && namespaceIn(one) === namespaceIn(other),
      );
      if (same !== undefined)
        throw new CommandError(
          `accumulating resources from '${entry}': may not add resource with an already registered id: ${kindOf(one)} ${nameIn(one)}`,
        );
      resources.push(one);
    }
    if (resources.length > MOST_OBJECTS) throw new CommandError(`there are more than ${MOST_OBJECTS} objects`);
  }
  built.specs = mergeSpecs(built.specs, configuredSpecs(kustomization));
  built.specs = mergeSpecs(built.specs, crdSpecs(kustomization));
  generate(kustomization, resources);
  for (const entry of texts(fields, 'components')) await accumulateComponent(kustomization, entry, chain, built);
  transform(kustomization, resources, built.specs);
  addVars(vars, entries(kustomization, 'vars'));
  return kustomization;
}

async function accumulateComponent(
  kustomization: Kustomization,
  entry: string,
  chain: readonly string[],
  built: Built,
): Promise<void> {
  const { fields } = await accumulate(below(kustomization, entry), chain, built);
  if (fields['kind'] !== 'Component')
    throw new CommandError(`accumulating components: expected kind 'Component' for path '${entry}'`);
}

/**
 * The text of a resource file.
 * @throws CommandError if the file is not readable. For a missing file, the message also says that there is no such
 * folder.
 */
function readResource(kustomization: Kustomization, entry: string): string {
  try {
    return readLocal(kustomization, entry).toString();
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
    const { message } = error;
    throw new CommandError(
      `accumulating resources: accumulation err='accumulating resources from '${entry}': ${message}': must build at directory: not a valid directory: ${message}`,
    );
  }
}

const below = ({ folder, within, building }: Kustomization, entry: string): Where => ({
  folder: path.resolve(folder, entry),
  within: path.join(within, entry),
  building,
});

const sameKind = (one: Resource, other: Resource): boolean =>
  kindOf(one) === kindOf(other) && one.object['apiVersion'] === other.object['apiVersion'];

async function accumulateEntry(
  kustomization: Kustomization,
  entry: string,
  chain: readonly string[],
  above: Built,
): Promise<readonly Resource[]> {
  const full = path.resolve(kustomization.folder, entry);
  const isRemote = /^[a-z]+:\/\//.test(entry);
  if (isRemote || statSync(full, { throwIfNoEntry: false })?.isDirectory() === true) {
    const built: Built = { resources: [], vars: [], specs: noSpecs };
    const { fields } = await accumulate(
      { ...below(kustomization, entry), ...(isRemote ? { folder: entry } : {}) },
      chain,
      built,
    );
    if (fields['kind'] === 'Component')
      throw new CommandError(`accumulating resources: expected kind != 'Component' for path '${entry}'`);
    addVars(above.vars, built.vars);
    above.specs = mergeSpecs(above.specs, built.specs);
    return built.resources;
  }
  const documents = parseYamlDocuments(readResource(kustomization, entry), full, true);
  // YAML anchors can make several nodes one object. The copies are separate, so a change has an effect in one place
  // only.
  return documents
    .flatMap((document) => objectsIn(document, { source: full }))
    .map((object) => asWritten(cloneJson(asJson(object)), full, originOfFile(kustomization, entry)));
}

function asWritten(object: JsonObject, source: string, origin: Origin): Resource {
  const one = resourceOf(object, false, origin);
  if (nameIn(one) === '') throw new CommandError(`missing metadata.name in object of ${source}`);
  return one;
}

function transform(kustomization: Kustomization, resources: Resource[], specs: FieldSpecs): void {
  const { fields } = kustomization;
  const note = (maker: string, times: number | boolean) => noteChange(kustomization, resources, maker, Number(times));
  const count = (field: string) => entries(kustomization, field).length;
  applyPatches(kustomization, resources);
  note('PatchStrategicMergeTransformer', texts(fields, 'patchesStrategicMerge').length > 0);
  note('PatchTransformer', count('patches'));
  if (text(fields['namespace']) !== '') {
    for (const one of resources) move(one, text(fields['namespace']), specs.namespace);
    checkApart(resources);
    note('NamespaceTransformer', true);
  }
  const [prefix, suffix] = [text(fields['namePrefix']), text(fields['nameSuffix'])];
  addAffix(resources, 'prefixes', prefix, specs.namePrefix);
  addAffix(resources, 'suffixes', suffix, specs.nameSuffix);
  note('PrefixTransformer', prefix !== '');
  note('SuffixTransformer', suffix !== '');
  addLabels(kustomization, resources, specs);
  const isThere = (field: string) => Object.keys(textMap(fields, field)).length > 0;
  // The common labels are also applied if there are other labels, even if the common labels are empty.
  const labelled = count('labels') > 0 || isThere('commonLabels');
  note('LabelTransformer', labelled ? count('labels') + 1 : 0);
  note('AnnotationsTransformer', isThere('commonAnnotations'));
  applyJsonPatches(kustomization, resources);
  note('PatchJson6902Transformer', count('patchesJson6902'));
  for (const entry of entries(kustomization, 'replicas')) setReplicas(resources, entry, specs.replicas);
  note('ReplicaCountTransformer', count('replicas'));
  const images = entries(kustomization, 'images');
  for (const one of images) replaceImages(resources, one, specs.images);
  note('ImageTagTransformer', images.length);
  replaceFields(kustomization, resources);
  note('ReplacementTransformer', count('replacements') > 0);
}

/** @throws CommandError if several objects now have the same identity */
function checkApart(resources: readonly Resource[]): void {
  const seen = new Set<string>();
  for (const one of resources) {
    const id = [one.object['apiVersion'], kindOf(one), namespaceIn(one), nameIn(one)].join('|');
    if (seen.has(id))
      throw new CommandError(`namespace transformation produces ID conflict: ${kindOf(one)} ${nameIn(one)}`);
    seen.add(id);
  }
}

/** Adds a prefix or suffix to names. */
function addAffix(
  resources: readonly Resource[],
  which: 'prefixes' | 'suffixes',
  affix: string,
  fields: readonly FieldSpec[],
): void {
  if (affix === '') return;
  const added = (value: JsonValue) => (which === 'prefixes' ? `${affix}${String(value)}` : `${String(value)}${affix}`);
  for (const one of resources.filter((one) => !KEEP_NAMES.includes(kindOf(one))))
    for (const field of fields.filter((field) => isOf(one, field))) {
      if (field.path === 'metadata/name') {
        one.affixes[which].push(affix);
        rename(one, added(nameIn(one)));
      } else changeField(one, field, added, () => '');
    }
}

function move(one: Resource, namespace: string, fields: readonly FieldSpec[]): void {
  const kind = kindOf(one);
  for (const field of fields.filter((field) => isOf(one, field) && field.path !== 'metadata/namespace')) {
    if (field.path === 'metadata/name') rename(one, namespace);
    else
      changeField(
        one,
        field,
        () => namespace,
        () => '',
      );
  }
  if (kind.endsWith('RoleBinding'))
    visitObjects(one.object, 'subjects', (subject) => {
      if (subject['name'] === 'default') subject['namespace'] = namespace;
    });
  if (!isNamespaced(one)) return;
  one.namespaces.add(namespaceIn(one));
  // References that contain its namespace must change, although its name does not.
  one.names.add(nameIn(one));
  one.object.metadata['namespace'] = namespace;
}

function setReplicas(resources: readonly Resource[], entry: JsonObject, fields: readonly FieldSpec[]): void {
  const name = text(entry['name']);
  const called = resources.filter((one) => isCalled(one, name));
  const found = fields.flatMap((field) => called.filter((one) => isOf(one, field)).map((one) => ({ one, field })));
  if (found.length === 0)
    throw new CommandError(
      `resource with name ${name} does not match a config with the following GVK [${fields.map(typeText).join(' ')}]`,
    );
  for (const { one, field } of found)
    changeField(
      one,
      field,
      () => entry['count'] ?? 0,
      () => 0,
    );
}
