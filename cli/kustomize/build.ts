import { statSync } from 'node:fs';
import path from 'node:path';
import { cloneJson } from '../../server/json/clone-json.ts';
import { isObject, type JsonObject } from '../../server/json/json-value.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { CommandError } from '../frame/errors.ts';
import { parseObjects } from '../resources/files.ts';
import { addHashes, generate } from './generate.ts';
import { replaceImages } from './images.ts';
import { entries, type Kustomization, readKustomization, readLocal, textMap, texts } from './kustomization.ts';
import { addAnnotations, addLabels } from './labels.ts';
import { inOrder } from './order.ts';
import { applyJsonPatches, applyPatches } from './patch.ts';
import { followNames } from './references.ts';
import { replaceFields } from './replacements.ts';
import { isCalled, kindOf, nameIn, namespaceIn, type Resource, rename, resourceOf, text } from './resource.ts';

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
export async function buildKustomization(folder: string): Promise<ApiObject[]> {
  const resources = await accumulate(folder, []);
  addHashes(resources);
  followNames(resources);
  return inOrder(resources).map(({ object }) => object as unknown as ApiObject);
}

/** Adds what a folder describes to what is there; of a component, which changes that as well. */
async function accumulate(folder: string, above: readonly string[], resources: Resource[] = []): Promise<Resource[]> {
  const kustomization = readKustomization(folder);
  const chain = [...above, kustomization.folder];
  if (above.includes(kustomization.folder))
    throw new CommandError(
      `cycle detected: candidate root '${kustomization.folder}' contains visited root '${folder}'`,
    );
  if (chain.length > DEEPEST) throw new CommandError(`more than ${DEEPEST} folders need one another`);
  const { fields } = kustomization;
  for (const entry of [...texts(fields, 'resources'), ...texts(fields, 'bases')]) {
    for (const one of await accumulateEntry(kustomization, entry, chain)) {
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
  for (const entry of texts(fields, 'components'))
    await accumulate(path.resolve(kustomization.folder, entry), chain, resources);
  generate(kustomization, resources);
  transform(kustomization, resources);
  return resources;
}

const sameKind = (one: Resource, other: Resource): boolean =>
  kindOf(one) === kindOf(other) && one.object['apiVersion'] === other.object['apiVersion'];

async function accumulateEntry(
  { folder }: Kustomization,
  entry: string,
  chain: readonly string[],
): Promise<Resource[]> {
  const full = path.resolve(folder, entry);
  if (/^[a-z]+:\/\//.test(entry)) return accumulate(entry, chain);
  if (statSync(full, { throwIfNoEntry: false })?.isDirectory() === true) return accumulate(full, chain);
  const objects = await parseObjects(readLocal(folder, entry).toString(), full);
  // Nodes of YAML that are named several times are one object, which is changed in one place only.
  return objects.map(({ object }) => resourceOf(cloneJson(object as unknown as JsonObject) as JsonObject));
}

function transform(kustomization: Kustomization, resources: Resource[]): void {
  const { fields } = kustomization;
  applyPatches(kustomization, resources);
  if (text(fields['namespace']) !== '') for (const one of resources) move(one, text(fields['namespace']));
  const [prefix, suffix] = [text(fields['namePrefix']), text(fields['nameSuffix'])];
  for (const one of resources) if (!KEEP_NAMES.includes(kindOf(one))) rename(one, `${prefix}${nameIn(one)}${suffix}`);
  followNames(resources);
  for (const entry of entries(kustomization, 'labels')) {
    const selectors = entry['includeSelectors'] === true;
    const places = { selectors, templates: entry['includeTemplates'] === true };
    for (const one of resources) addLabels(one, textMap(entry, 'pairs'), places);
  }
  const [labels, annotations] = [textMap(fields, 'commonLabels'), textMap(fields, 'commonAnnotations')];
  for (const one of resources) {
    if (Object.keys(labels).length > 0) addLabels(one, labels, { selectors: true, templates: true });
    if (Object.keys(annotations).length > 0) addAnnotations(one, annotations);
  }
  applyJsonPatches(kustomization, resources);
  for (const entry of entries(kustomization, 'replicas')) setReplicas(resources, entry);
  const images = entries(kustomization, 'images');
  if (images.length > 0)
    for (const one of resources) if (kindOf(one) !== 'CustomResourceDefinition') replaceImages(one.object, images);
  replaceFields(kustomization, resources);
}

function move(one: Resource, namespace: string): void {
  if (kindOf(one) === 'Namespace') rename(one, namespace);
  if (isObject(one.object['subjects']) || Array.isArray(one.object['subjects']))
    for (const subject of Object.values(one.object['subjects']))
      if (isObject(subject) && subject['kind'] === 'ServiceAccount' && subject['name'] === 'default')
        subject['namespace'] = namespace;
  if (WITHOUT_NAMESPACE.has(kindOf(one))) return;
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
