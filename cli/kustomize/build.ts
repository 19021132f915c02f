import { statSync } from 'node:fs';
import path from 'node:path';
import { cloneJson } from '../../server/json/clone-json.ts';
import { isObject, type JsonObject } from '../../server/json/json-value.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { CommandError } from '../frame/errors.ts';
import { objectsIn } from '../resources/documents.ts';
import { parseYamlDocuments } from '../resources/parse-yaml.ts';
import { addHashes, generate } from './generate.ts';
import { replaceImages } from './images.ts';
import {
  type Building,
  entries,
  type Kustomization,
  listOf,
  readKustomization,
  readLocal,
  textMap,
  texts,
  type Where,
} from './kustomization.ts';
import { addAnnotations, addLabels, addLabelsAt } from './labels.ts';
import { inOrder } from './order.ts';
import { noteChange, originOfFile, writeOrigins } from './origins.ts';
import { applyJsonPatches, applyPatches } from './patch.ts';
import { visitObjects } from './paths.ts';
import { followNames } from './references.ts';
import { replaceFields } from './replacements.ts';
import {
  isCalled,
  kindOf,
  nameIn,
  namespaceIn,
  type Origin,
  type Resource,
  rename,
  resourceOf,
  text,
} from './resource.ts';
import { addVars, replaceVars } from './vars.ts';

/** More folders below one another, and objects in all, than anybody builds. */
const DEEPEST = 50;
const MOST_OBJECTS = 20_000;

/** Objects of these kinds keep their names, since others say what those are. */
const KEEP_NAMES = ['Namespace', 'CustomResourceDefinition', 'APIService'];

/** Kinds that are in no namespace; those of others are taken to be in one. */
const WITHOUT_NAMESPACE = new Set([
  ...['APIService', 'CSIDriver', 'CSINode', 'CertificateSigningRequest', 'ClusterRole', 'ClusterRoleBinding'],
  ...['ComponentStatus', 'CustomResourceDefinition', 'DeviceClass', 'FlowSchema', 'IPAddress', 'IngressClass'],
  ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding', 'MutatingWebhookConfiguration', 'Namespace'],
  ...['Node', 'PersistentVolume', 'PriorityClass', 'PriorityLevelConfiguration', 'RuntimeClass', 'ServiceCIDR'],
  ...['StorageClass', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'VolumeAttachment'],
  ...['ValidatingWebhookConfiguration', 'SelfSubjectAccessReview', 'SubjectAccessReview', 'TokenReview'],
]);

/** The objects that a folder describes, in the order in which they can be made. @throws CommandError */
export async function buildKustomization(folder: string, building: Building = {}): Promise<ApiObject[]> {
  const built: Built = { resources: [], vars: [] };
  const kustomization = await accumulate({ folder, within: '', building }, [], built);
  const { resources, vars } = built;
  addHashes(resources);
  followNames(resources);
  replaceVars(resources, vars);
  const shown = resources.filter(isShown);
  writeOrigins(kustomization, shown);
  return inOrder(shown, kustomization.fields['sortOptions']).map(({ object }) => object as unknown as ApiObject);
}

/** What has been gathered so far. */
interface Built {
  readonly resources: Resource[];
  readonly vars: JsonObject[];
}

const LOCAL = 'config.kubernetes.io/local-config';

/** Some objects are there for others to take values from. */
function isShown({ object }: Resource): boolean {
  const { annotations } = object.metadata;
  return !isObject(annotations) || (annotations[LOCAL] ?? 'false') === 'false';
}

/** Adds what a folder describes to what is there; of a component, which changes that as well. */
async function accumulate(where: Where, above: readonly string[], built: Built): Promise<Kustomization> {
  const kustomization = readKustomization(where);
  const { resources, vars } = built;
  const chain = [...above, kustomization.folder];
  if (above.includes(kustomization.folder))
    throw new CommandError(
      `cycle detected: candidate root '${kustomization.folder}' contains visited root '${where.folder}'`,
    );
  if (chain.length > DEEPEST) throw new CommandError(`more than ${DEEPEST} folders need one another`);
  const { fields } = kustomization;
  for (const entry of [...texts(fields, 'resources'), ...texts(fields, 'bases')]) {
    for (const one of await accumulateEntry(kustomization, entry, chain, vars)) {
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
  generate(kustomization, resources);
  for (const entry of texts(fields, 'components')) await accumulateComponent(kustomization, entry, chain, built);
  transform(kustomization, resources);
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
  vars: JsonObject[],
): Promise<readonly Resource[]> {
  const full = path.resolve(kustomization.folder, entry);
  const isRemote = /^[a-z]+:\/\//.test(entry);
  if (isRemote || statSync(full, { throwIfNoEntry: false })?.isDirectory() === true) {
    const built: Built = { resources: [], vars: [] };
    const { fields } = await accumulate(
      { ...below(kustomization, entry), ...(isRemote ? { folder: entry } : {}) },
      chain,
      built,
    );
    if (fields['kind'] === 'Component')
      throw new CommandError(`accumulating resources: expected kind != 'Component' for path '${entry}'`);
    addVars(vars, built.vars);
    return built.resources;
  }
  const documents = parseYamlDocuments(readLocal(kustomization, entry).toString(), full, true);
  // Nodes of YAML that are named several times are one object, which is changed in one place only.
  return documents
    .flatMap((document) => objectsIn(document, { source: full }))
    .map((object) => asWritten(cloneJson(object as unknown as JsonObject), full, originOfFile(kustomization, entry)));
}

function asWritten(object: JsonObject, source: string, origin: Origin): Resource {
  const one = resourceOf(object, false, origin);
  if (nameIn(one) === '') throw new CommandError(`missing metadata.name in object of ${source}`);
  return one;
}

function transform(kustomization: Kustomization, resources: Resource[]): void {
  const { fields } = kustomization;
  const note = (maker: string, times: number | boolean) => noteChange(kustomization, resources, maker, Number(times));
  const count = (field: string) => entries(kustomization, field).length;
  applyPatches(kustomization, resources);
  note('PatchStrategicMergeTransformer', texts(fields, 'patchesStrategicMerge').length > 0);
  note('PatchTransformer', count('patches'));
  if (text(fields['namespace']) !== '') {
    for (const one of resources) move(one, text(fields['namespace']));
    checkApart(resources);
    note('NamespaceTransformer', true);
  }
  const [prefix, suffix] = [text(fields['namePrefix']), text(fields['nameSuffix'])];
  for (const one of resources) if (!KEEP_NAMES.includes(kindOf(one))) rename(one, `${prefix}${nameIn(one)}${suffix}`);
  note('PrefixTransformer', prefix !== '');
  note('SuffixTransformer', suffix !== '');
  followNames(resources);
  for (const entry of entries(kustomization, 'labels')) {
    const selectors = entry['includeSelectors'] === true;
    const places = { selectors, templates: entry['includeTemplates'] === true };
    for (const one of resources) {
      addLabels(one, textMap(entry, 'pairs'), places);
      for (const field of listOf(entry, 'fields'))
        if (isObject(field)) addLabelsAt(one, textMap(entry, 'pairs'), field);
    }
  }
  const [labels, annotations] = [textMap(fields, 'commonLabels'), textMap(fields, 'commonAnnotations')];
  for (const one of resources) {
    if (Object.keys(labels).length > 0) addLabels(one, labels, { selectors: true, templates: true });
    if (Object.keys(annotations).length > 0) addAnnotations(one, annotations);
  }
  // the common ones are added wherever there are others, though there be none
  const labelled = count('labels') > 0 || Object.keys(labels).length > 0;
  note('LabelTransformer', labelled ? count('labels') + 1 : 0);
  note('AnnotationsTransformer', Object.keys(annotations).length > 0);
  applyJsonPatches(kustomization, resources);
  note('PatchJson6902Transformer', count('patchesJson6902'));
  for (const entry of entries(kustomization, 'replicas')) setReplicas(resources, entry);
  note('ReplicaCountTransformer', count('replicas'));
  const images = entries(kustomization, 'images');
  if (images.length > 0)
    for (const one of resources) if (kindOf(one) !== 'CustomResourceDefinition') replaceImages(one.object, images);
  note('ImageTagTransformer', images.length);
  replaceFields(kustomization, resources);
  note('ReplacementTransformer', count('replacements') > 0);
}

/** @throws CommandError where several objects have become one */
function checkApart(resources: readonly Resource[]): void {
  const seen = new Set<string>();
  for (const one of resources) {
    const id = [one.object['apiVersion'], kindOf(one), namespaceIn(one), nameIn(one)].join('|');
    if (seen.has(id))
      throw new CommandError(`namespace transformation produces ID conflict: ${kindOf(one)} ${nameIn(one)}`);
    seen.add(id);
  }
}

function move(one: Resource, namespace: string): void {
  const kind = kindOf(one);
  const place = (path: string, isMeant: (object: JsonObject) => boolean) =>
    visitObjects(one.object, path, (object) => {
      if (isMeant(object)) object['namespace'] = namespace;
    });
  if (kind === 'Namespace' && one.object['apiVersion'] === 'v1') rename(one, namespace);
  if (kind === 'APIService') place('spec/service', () => true);
  if (kind === 'CustomResourceDefinition')
    place('spec/conversion/webhook/clientConfig/service', (service) => Object.hasOwn(service, 'namespace'));
  if (kind.endsWith('RoleBinding')) place('subjects', (subject) => subject['name'] === 'default');
  if (WITHOUT_NAMESPACE.has(kind)) return;
  one.namespaces.add(namespaceIn(one));
  one.object.metadata['namespace'] = namespace;
}

const SCALED = ['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet'];

function setReplicas(resources: readonly Resource[], entry: JsonObject): void {
  const name = text(entry['name']);
  const found = resources.filter((one) => SCALED.includes(kindOf(one)) && isCalled(one, name));
  if (found.length === 0)
    throw new CommandError(
      `resource with name ${name} does not match a config with the following GVK [${SCALED.join(' ')}]`,
    );
  for (const { object } of found)
    object['spec'] = { ...(isObject(object['spec']) ? object['spec'] : {}), replicas: entry['count'] ?? 0 };
}
