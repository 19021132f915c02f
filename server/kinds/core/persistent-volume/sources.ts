import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type {
  CSIPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  ObjectReference,
  PersistentVolumeSpec,
  SecretReference,
} from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { validateDriverName } from '#schema/validation/driver-name.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import {
  validateAzureDisk,
  validateFibreChannel,
  validateFlex,
  validateFlocker,
  validateIscsiName,
  validateNfs,
  validatePartition,
  validateQuobyte,
} from '../pod-spec/disk-sources.ts';
import { HOST_PATH_TYPES, validateNoBacksteps } from '../pod-spec/file-paths.ts';

/** Other inputs for checks of sources. */
export interface SourceContext {
  readonly naming: Pick<Naming, 'domains'>;
  /** The name of the volume; empty if it has none. */
  readonly name: string;
}

/** Checks the source of one type. */
type SourceCheck<T> = (source: T, path: FieldPath, context: SourceContext) => FieldError[];

function needs<T extends object>(source: T, path: FieldPath, ...fields: (keyof T & string)[]): FieldError[] {
  return fields.filter((field) => !source[field]).map((field) => required(path.child(field)));
}

/** Validates a reference to a secret of any namespace. Both names are required. */
function validateSecret(
  reference: SecretReference | ObjectReference | null | undefined,
  path: FieldPath,
): FieldError[] {
  return reference == null ? [] : needs(reference as SecretReference, path, 'name', 'namespace');
}

/** Validates such a reference with the older form for names of secrets and namespaces. */
function validateNamedSecret(reference: SecretReference | null | undefined, path: FieldPath): FieldError[] {
  if (reference == null) return [];
  return (['name', 'namespace'] as const).flatMap((field) =>
    reference[field] ? validateText(reference[field], dns1123Label, path.child(field)) : [required(path.child(field))],
  );
}

const MAX_TARGET = 64;

/** Validates that the names of the volume and the portal fit together in a name. The node logs in with this name. */
function validateInitiator(source: ISCSIPersistentVolumeSource, volume: string, path: FieldPath): FieldError[] {
  if (source.initiatorName === undefined || `${volume}:${source.targetPortal}`.length <= MAX_TARGET) return [];
  const detail =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  return [invalidValue(path.child('targetportal'), source.targetPortal, detail)];
}

function validateIscsi(source: ISCSIPersistentVolumeSource, path: FieldPath, volume: string): FieldError[] {
  const { iqn, secretRef, initiatorName } = source;
  const needsSecret = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  return [
    ...needs(source, path, 'targetPortal'),
    ...validateInitiator(source, volume, path),
    ...(iqn === '' ? [required(path.child('iqn'))] : validateIscsiName(iqn, path.child('iqn'))),
    ...validateBound(source.lun, bounds['core.v1.ISCSIVolumeSource'].lun, path.child('lun')),
    ...(needsSecret && secretRef === undefined ? [required(path.child('secretRef'))] : []),
    ...(secretRef === undefined ? [] : needs(secretRef, path.child('secretRef'), 'name')),
    ...(initiatorName === undefined ? [] : validateIscsiName(initiatorName, path.child('initiatorname'))),
  ];
}

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsi(source: CSIPersistentVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateDriverName(source.driver, path.child('driver')),
    ...needs(source, path, 'volumeHandle'),
    ...CSI_SECRETS.flatMap((field) => validateNamedSecret(source[field], path.child(field))),
  ];
}

/** The checks of each type of source, in order. */
export const sourceChecks: {
  readonly [type in keyof PersistentVolumeSpec]?: SourceCheck<NonNullable<PersistentVolumeSpec[type]>>;
} = {
  hostPath(source, path) {
    const { type } = source;
    if (source.path === '') return [required(path.child('path'))];
    const errors = validateNoBacksteps(source.path, path.child('path'));
    if (type !== undefined && !HOST_PATH_TYPES.includes(type)) {
      errors.push(notSupported(path.child('type'), type, HOST_PATH_TYPES));
    }
    return errors;
  },
  gcePersistentDisk: (source, path) => [
    ...needs(source, path, 'pdName'),
    ...validatePartition(source.partition, path.child('partition')),
  ],
  awsElasticBlockStore: (source, path) => [
    ...needs(source, path, 'volumeID'),
    ...validatePartition(source.partition, path.child('partition')),
  ],
  glusterfs(source, path) {
    const errors = needs(source, path, 'endpoints', 'path');
    const { endpointsNamespace: namespace } = source;
    if (namespace === undefined) return errors;
    const at = path.child('endpointsNamespace');
    if (namespace === '')
      errors.push(invalidValue(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'));
    else append(errors, validateText(namespace, dns1123Label, at));
    return errors;
  },
  flocker: validateFlocker,
  nfs: validateNfs,
  rbd: (source, path) => [
    ...((source.monitors ?? []).length === 0 ? [required(path.child('monitors'))] : []),
    ...needs(source, path, 'image'),
  ],
  quobyte: validateQuobyte,
  cephfs: (source, path) => ((source.monitors ?? []).length === 0 ? [required(path.child('monitors'))] : []),
  iscsi: (source, path, { name }) => validateIscsi(source, path, name),
  cinder: (source, path) => [
    ...needs(source, path, 'volumeID'),
    ...validateSecret(source.secretRef, path.child('secretRef')),
  ],
  fc: validateFibreChannel,
  flexVolume: validateFlex,
  azureFile(source, path) {
    const errors = needs(source, path, 'secretName', 'shareName');
    if (source.secretNamespace === '') errors.push(required(path.child('secretNamespace')));
    return errors;
  },
  vsphereVolume: (source, path) => needs(source, path, 'volumePath'),
  photonPersistentDisk: (source, path) => needs(source, path, 'pdID'),
  portworxVolume: (source, path) => needs(source, path, 'volumeID'),
  azureDisk: validateAzureDisk,
  scaleIO: (source, path) => needs(source, path, 'gateway', 'system', 'volumeName'),
  local(source, path) {
    if (source.path === '') return [required(path.child('path'))];
    return validateNoBacksteps(source.path, path.child('path'));
  },
  storageos(source, path) {
    const errors: FieldError[] = [];
    const { volumeName = '', volumeNamespace = '' } = source;
    if (volumeName === '') errors.push(required(path.child('volumeName')));
    else append(errors, validateText(volumeName, dns1123Label, path.child('volumeName')));
    if (volumeNamespace !== '') {
      append(errors, validateText(volumeNamespace, dns1123Label, path.child('volumeNamespace')));
    }
    return [...errors, ...validateSecret(source.secretRef, path.child('secretRef'))];
  },
  csi: validateCsi,
};

/** The fields of a volume that hold its source. */
export const sourceTypes = Object.keys(sourceChecks) as (keyof typeof sourceChecks)[];

/** Sources with other names in errors: `one` for errors about the source, and `tooMany` for a second source. */
const SHOWN_AS: { readonly [type in (typeof sourceTypes)[number]]?: { one?: string; tooMany?: string } } = {
  gcePersistentDisk: { one: 'persistentDisk' },
  cephfs: { tooMany: 'cephFS' },
};

/** Validates that there is exactly one source, and that it follows the rules of its type. */
export function validateSources(
  spec: PersistentVolumeSpec,
  context: SourceContext,
  path: FieldPath,
  nodeAffinityGiven: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const type of sourceTypes) {
    const source = spec[type];
    if (source === undefined) continue;
    const shown = SHOWN_AS[type];
    // A flex volume was always accepted together with another source.
    if (found++ > 0 && type !== 'flexVolume') {
      errors.push(forbiddenField(path.child(shown?.tooMany ?? type), 'may not specify more than 1 volume type'));
      continue;
    }
    const check = sourceChecks[type] as SourceCheck<object>;
    append(errors, check(source as object, path.child(shown?.one ?? type), context));
    if (type === 'local' && !nodeAffinityGiven) {
      errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
    }
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}
