import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { HostPathVolumeSource, Volume } from '#schema/generated/core.v1.ts';
import { dns1123Label, dns1123Subdomain } from '#schema/validation/names.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import { validateClaimTemplate } from './claim-template.ts';
import type { PodSpecContext } from './context.ts';
import {
  validateAzureDisk,
  validateCsi,
  validateFibreChannel,
  validateFlex,
  validateFlocker,
  validateIscsi,
  validateNfs,
  validatePartition,
  validateQuobyte,
  validateStorageOs,
} from './disk-sources.ts';
import { HOST_PATH_TYPES, validateFileMode, validateLocalPath, validateNoBacksteps } from './file-paths.ts';
import { validateFieldFile, validateKeyedFiles, validateProjected } from './projections.ts';

type SourceName = Exclude<keyof Volume, 'name'>;
type SourceCheck<T> = (source: NonNullable<T>, path: FieldPath, context: PodSpecContext) => FieldError[];

/** A check that every field of a source is present. */
function requiring<N extends string>(...names: readonly N[]) {
  return (source: { readonly [K in N]?: unknown }, path: FieldPath): FieldError[] =>
    names
      .filter((name) => !source[name] || (Array.isArray(source[name]) && (source[name] as unknown[]).length === 0))
      .map((name) => required(path.child(name)));
}

function validateHostPath({ path: host = '', type }: HostPathVolumeSource, path: FieldPath): FieldError[] {
  if (host === '') return [required(path.child('path'))];
  const known = type == null || HOST_PATH_TYPES.includes(type);
  return [
    ...validateNoBacksteps(host, path.child('path')),
    ...(known ? [] : [notSupported(path.child('type'), type, HOST_PATH_TYPES)]),
  ];
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

/** The checks of all volume sources, in order. */
const SOURCES: { readonly [N in SourceName]: SourceCheck<Volume[N]> } = {
  emptyDir: ({ sizeLimit }, path) =>
    sizeLimit != null && parseQuantity(sizeLimit).sign < 0
      ? [forbiddenField(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : [],
  hostPath: validateHostPath,
  gitRepo: (source, path) => [
    ...requiring('repository')(source, path),
    ...validateLocalPath(source.directory ?? '', path.child('directory')),
  ],
  gcePersistentDisk: (source, path) => [
    ...requiring('pdName')(source, path),
    ...validatePartition(source.partition, path.child('partition')),
  ],
  awsElasticBlockStore: (source, path) => [
    ...requiring('volumeID')(source, path),
    ...validatePartition(source.partition, path.child('partition')),
  ],
  secret: (source, path) => [...requiring('secretName')(source, path), ...validateKeyedFiles(source, path)],
  nfs: validateNfs,
  iscsi: validateIscsi,
  glusterfs: requiring('endpoints', 'path'),
  flocker: validateFlocker,
  persistentVolumeClaim: requiring('claimName'),
  rbd: requiring('monitors', 'image'),
  cinder: (source, path) => [
    ...requiring('volumeID')(source, path),
    ...(source.secretRef != null && !source.secretRef.name ? [required(path.child('secretRef', 'name'))] : []),
  ],
  cephfs: requiring('monitors'),
  quobyte: validateQuobyte,
  downwardAPI: (source, path, context) => [
    ...validateFileMode(source.defaultMode, path.child('defaultMode')),
    ...(source.items ?? []).flatMap((file) => validateFieldFile(file, path, context)),
  ],
  fc: validateFibreChannel,
  flexVolume: validateFlex,
  configMap: (source, path) => [...requiring('name')(source, path), ...validateKeyedFiles(source, path)],
  azureFile: requiring('secretName', 'shareName'),
  vsphereVolume: requiring('volumePath'),
  photonPersistentDisk: requiring('pdID'),
  portworxVolume: requiring('volumeID'),
  azureDisk: validateAzureDisk,
  storageos: validateStorageOs,
  projected: validateProjected,
  scaleIO: requiring('gateway', 'system', 'volumeName'),
  csi: validateCsi,
  ephemeral: ({ volumeClaimTemplate }, path, context) => {
    const at = path.child('volumeClaimTemplate');
    return volumeClaimTemplate == null ? [required(at)] : validateClaimTemplate(volumeClaimTemplate, at, context);
  },
  image: ({ pullPolicy = '' }, path) =>
    pullPolicy === '' || PULL_POLICIES.includes(pullPolicy)
      ? []
      : [notSupported(path.child('pullPolicy'), pullPolicy, PULL_POLICIES)],
};
const SOURCE_NAMES = Object.keys(SOURCES) as SourceName[];

/** The sources that can provide a block device. */
const BLOCK_SOURCES: readonly SourceName[] = ['persistentVolumeClaim', 'ephemeral'];

/** Whether a volume can be used as a block device. */
export function isBlockSource(volume: Volume): boolean {
  return BLOCK_SOURCES.some((name) => volume[name] != null);
}

function validateSource(volume: Volume, path: FieldPath, podName: string, context: PodSpecContext): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const name of SOURCE_NAMES) {
    const source = volume[name];
    if (source == null) continue;
    const check = SOURCES[name] as SourceCheck<unknown>;
    const more = forbiddenField(path.child(name), 'may not specify more than 1 volume type');
    const at = path.child(name === 'gcePersistentDisk' ? 'persistentDisk' : name);
    append(errors, count++ > 0 ? [more] : check(source, at, context));
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'));
  const { iscsi } = volume;
  if (iscsi?.initiatorName != null && `${volume.name}:${iscsi.targetPortal}`.length > 64) {
    const detail =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    errors.push(invalidValue(path.child('name'), volume.name, detail));
  }
  if (volume.ephemeral != null && podName !== '' && volume.name) {
    const claim = `${podName}-${volume.name}`;
    const problems = dns1123Subdomain(claim).map((problem) => `PVC name ${JSON.stringify(claim)}: ${problem}`);
    append(
      errors,
      problems.map((problem) => invalidValue(path.child('name'), volume.name, problem)),
    );
  }
  return errors;
}

/**
 * Checks the volumes of a pod. Returns the errors, and by name the valid volumes. Mounts of other volumes find nothing.
 * `podName` is empty for templates.
 */
export function validateVolumes(
  volumes: readonly Volume[] | null | undefined,
  podName: string,
  path: FieldPath,
  context: PodSpecContext,
): { errors: FieldError[]; usable: Map<string, Volume> } {
  const errors: FieldError[] = [];
  const usable = new Map<string, Volume>();
  const list = volumes ?? [];
  const made = new Set(
    podName === '' ? [] : list.filter((v) => v.ephemeral != null && v.name).map((v) => `${podName}-${v.name}`),
  );
  list.forEach((volume, i) => {
    const at = path.index(i);
    const namePath = at.child('name');
    const name = volume.name ?? '';
    const own = validateSource(volume, at, podName, context);
    append(
      own,
      name === '' ? [required(namePath)] : dns1123Label(name).map((text) => invalidValue(namePath, name, text)),
    );
    if (usable.has(name)) own.push(duplicate(namePath, name));
    if (own.length === 0) usable.set(name, volume);
    append(errors, own);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim && made.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalidValue(at.child('persistentVolumeClaim', 'claimName'), claim, detail));
    }
  });
  return { errors, usable };
}
