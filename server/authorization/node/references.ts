import type { ApiObject } from '#schema/objects/api-object.ts';

/** Fields of an object in its JSON form, with values of any type. */
type Loose = { readonly [field: string]: unknown };

function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const step of path) current = (current as Loose | null | undefined)?.[step];
  return current;
}

function each(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Adds a name that is not empty. */
function add(names: Set<string>, value: unknown): void {
  const name = text(value);
  if (name !== '') names.add(name);
}

/** Kinds of volumes in pods that name a secret, each with the path of the name. */
const podVolumeSecrets: readonly (readonly [volume: string, ...path: string[]])[] = [
  ['azureFile', 'secretName'],
  ['cephfs', 'secretRef', 'name'],
  ['cinder', 'secretRef', 'name'],
  ['csi', 'nodePublishSecretRef', 'name'],
  ['flexVolume', 'secretRef', 'name'],
  ['iscsi', 'secretRef', 'name'],
  ['rbd', 'secretRef', 'name'],
  ['scaleIO', 'secretRef', 'name'],
  ['secret', 'secretName'],
  ['storageos', 'secretRef', 'name'],
];

/** The objects that a pod needs on its node, by name in its namespace. */
export interface PodReferences {
  readonly serviceAccount: string;
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
}

/** Finds the objects to which a pod refers. */
export function podReferences(pod: ApiObject): PodReferences {
  const spec = pod['spec'];
  const secrets = new Set<string>();
  const configMaps = new Set<string>();
  const claims = new Set<string>();
  for (const reference of each(at(spec, 'imagePullSecrets'))) add(secrets, at(reference, 'name'));
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of each(at(spec, list))) {
      for (const source of each(at(container, 'envFrom'))) {
        add(secrets, at(source, 'secretRef', 'name'));
        add(configMaps, at(source, 'configMapRef', 'name'));
      }
      for (const variable of each(at(container, 'env'))) {
        add(secrets, at(variable, 'valueFrom', 'secretKeyRef', 'name'));
        add(configMaps, at(variable, 'valueFrom', 'configMapKeyRef', 'name'));
      }
    }
  }
  for (const volume of each(at(spec, 'volumes'))) {
    for (const path of podVolumeSecrets) add(secrets, at(volume, ...path));
    add(configMaps, at(volume, 'configMap', 'name'));
    for (const source of each(at(volume, 'projected', 'sources'))) {
      add(secrets, at(source, 'secret', 'name'));
      add(configMaps, at(source, 'configMap', 'name'));
    }
    add(claims, at(volume, 'persistentVolumeClaim', 'claimName'));
    if (at(volume, 'ephemeral')) add(claims, `${pod.metadata.name}-${text(at(volume, 'name'))}`);
  }
  return {
    serviceAccount: text(at(spec, 'serviceAccountName')),
    secrets,
    configMaps,
    claims,
  };
}

/** Kinds of persistent volumes that name a secret which nodes read, each with the path of the name. */
const volumeSecrets: readonly (readonly string[])[] = [
  ['cephfs', 'secretRef'],
  ['cinder', 'secretRef'],
  ['csi', 'nodeExpandSecretRef'],
  ['csi', 'nodePublishSecretRef'],
  ['csi', 'nodeStageSecretRef'],
  ['flexVolume', 'secretRef'],
  ['iscsi', 'secretRef'],
  ['rbd', 'secretRef'],
  ['scaleIO', 'secretRef'],
  ['storageos', 'secretRef'],
];

/** The reference of a bound persistent volume, as `namespace/name`; undefined while it is not bound. */
export interface VolumeReferences {
  readonly claim: string;
  readonly secrets: ReadonlySet<string>;
}

/**
 * Finds the objects to which a persistent volume refers. A secret without a namespace is in the namespace of the claim.
 */
export function volumeReferences(volume: ApiObject): VolumeReferences | undefined {
  const spec = volume['spec'];
  const namespace = text(at(spec, 'claimRef', 'namespace'));
  const claim = text(at(spec, 'claimRef', 'name'));
  if (claim === '') return undefined;
  const secrets = new Set<string>();
  const secret = (own: unknown, name: unknown) => {
    if (text(name) !== '') secrets.add(`${text(own) || namespace}/${text(name)}`);
  };
  for (const path of volumeSecrets) {
    const reference = at(spec, ...path);
    secret(at(reference, 'namespace'), at(reference, 'name'));
  }
  secret(at(spec, 'azureFile', 'secretNamespace'), at(spec, 'azureFile', 'secretName'));
  return { claim: `${namespace}/${claim}`, secrets };
}
