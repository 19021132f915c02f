import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../errors/field-error.ts';
import type { Naming } from '../../../naming/naming.ts';
import type {
  CSIPersistentVolumeSource,
  FCVolumeSource,
  ISCSIPersistentVolumeSource,
  ObjectReference,
  PersistentVolumeSpec,
  QuobyteVolumeSource,
  SecretReference,
} from '../../../schema/generated/core.v1.ts';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '../../common/names.ts';
import { validateRange } from '../../common/numbers.ts';
import { validateText } from '../../common/reference.ts';
import { HOST_PATH_TYPES, validateNoBacksteps } from '../pod-spec/file-paths.ts';

/** Checks the source of one type. */
type SourceCheck<T> = (source: T, path: FieldPath, naming: Pick<Naming, 'domains'>) => FieldError[];

function needs<T extends object>(source: T, path: FieldPath, ...fields: (keyof T & string)[]): FieldError[] {
  return fields.filter((field) => !source[field]).map((field) => required(path.child(field)));
}

/** A reference to a secret of any namespace: both names are needed. */
function validateSecret(
  reference: SecretReference | ObjectReference | null | undefined,
  path: FieldPath,
): FieldError[] {
  return reference == null ? [] : needs(reference as SecretReference, path, 'name', 'namespace');
}

function validatePartition(partition: number | undefined, path: FieldPath): FieldError[] {
  return validateRange(partition, 0, 255, path);
}

/** Names of iSCSI nodes (RFC 3720, 3.2.6): `iqn.`, `eui.` or `naa.`. */
const ISCSI_NAME = /^(iqn\.\d{4}-\d{2}\.([A-Za-z0-9-.]+)(:[^,;*&$|\s]+)|eui\.[A-Fa-f0-9]{16}|naa\.[A-Fa-f0-9]{32})$/;

function validateIscsiName(value: string, path: FieldPath): FieldError[] {
  if (!/^(iqn|eui|naa)/.test(value))
    return [invalidValue(path, value, 'must be valid format starting with iqn, eui, or naa')];
  return ISCSI_NAME.test(value) ? [] : [invalidValue(path, value, 'must be valid format')];
}

function validateIscsi(source: ISCSIPersistentVolumeSource, path: FieldPath): FieldError[] {
  const errors = needs(source, path, 'targetPortal');
  errors.push(
    ...(source.iqn === '' ? [required(path.child('iqn'))] : validateIscsiName(source.iqn, path.child('iqn'))),
    ...validateRange(source.lun, 0, 255, path.child('lun')),
  );
  const withoutSecret = source.secretRef === undefined;
  if ((source.chapAuthDiscovery || source.chapAuthSession) && withoutSecret) {
    errors.push(required(path.child('secretRef')));
  }
  errors.push(...validateSecret(source.secretRef, path.child('secretRef')));
  if (source.initiatorName !== undefined) {
    errors.push(...validateIscsiName(source.initiatorName, path.child('initiatorname')));
  }
  return errors;
}

function validateFibreChannel(source: FCVolumeSource, path: FieldPath): FieldError[] {
  const names = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  if (names.length === 0 && ids.length === 0) {
    const detail = 'must specify either targetWWNs or wwids, but not both';
    return [required(path.child('targetWWNs'), detail)];
  }
  if (names.length > 0 && ids.length > 0) {
    return [invalidValue(path.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously')];
  }
  if (names.length === 0) return [];
  if (source.lun === undefined) return [required(path.child('lun'), 'lun is required if targetWWNs is specified')];
  return validateRange(source.lun, 0, 255, path.child('lun'));
}

function validateQuobyte(source: QuobyteVolumeSource, path: FieldPath): FieldError[] {
  const { registry, tenant = '' } = source;
  const errors: FieldError[] = [];
  if (registry === '') {
    errors.push(required(path.child('registry'), 'must be a host:port pair or multiple pairs separated by commas'));
  } else if (tenant.length >= 65) {
    errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    for (const pair of registry.split(',')) {
      if (/^[^:]*:[^:]*$|^\[[^\]]*\]:[^:]*$/.test(pair)) continue;
      errors.push(
        invalidValue(
          path.child('registry'),
          registry,
          'must be a host:port pair or multiple pairs separated by commas',
        ),
      );
    }
  }
  return [...errors, ...needs(source, path, 'volume')];
}

/** The name of a storage driver: a DNS subdomain (letters of any case), at most as long as the rules in force allow. */
export function validateDriverName(name: string, path: FieldPath, max = 63): FieldError[] {
  const errors = name === '' ? [required(path)] : [];
  if (name.length > max) errors.push(invalidValue(path, name, `must be no more than ${max} characters`));
  return [...errors, ...dns1123Subdomain(name.toLowerCase()).map((problem) => invalidValue(path, name, problem))];
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
    ...CSI_SECRETS.flatMap((field) => validateSecret(source[field], path.child(field))),
  ];
}

/** How the source of each type is checked, in the order in which they are looked at. */
export const sourceChecks: {
  readonly [type in keyof PersistentVolumeSpec]?: SourceCheck<NonNullable<PersistentVolumeSpec[type]>>;
} = {
  hostPath(source, path) {
    const { type } = source;
    if (source.path === '') return [required(path.child('path'))];
    const errors = validateNoBacksteps(source.path, path.child('path'));
    if (type !== undefined && !HOST_PATH_TYPES.includes(type)) {
      errors.push(notSupported(path.child('type'), type, HOST_PATH_TYPES.slice(1)));
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
    else errors.push(...validateText(namespace, dns1123Label, at));
    return errors;
  },
  flocker(source, path) {
    const { datasetName = '', datasetUUID = '' } = source;
    if (datasetName === '' && datasetUUID === '') {
      return [required(path, 'one of datasetName and datasetUUID is required')];
    }
    if (datasetName !== '' && datasetUUID !== '') {
      return [invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')];
    }
    return datasetName.includes('/')
      ? [invalidValue(path.child('datasetName'), datasetName, "must not contain '/'")]
      : [];
  },
  nfs(source, path) {
    const errors = needs(source, path, 'server', 'path');
    if (!source.path.startsWith('/'))
      errors.push(invalidValue(path.child('path'), source.path, 'must be an absolute path'));
    return errors;
  },
  rbd: (source, path) => [
    ...((source.monitors ?? []).length === 0 ? [required(path.child('monitors'))] : []),
    ...needs(source, path, 'image'),
  ],
  quobyte: validateQuobyte,
  cephfs: (source, path) => ((source.monitors ?? []).length === 0 ? [required(path.child('monitors'))] : []),
  iscsi: validateIscsi,
  cinder: (source, path) => [
    ...needs(source, path, 'volumeID'),
    ...validateSecret(source.secretRef, path.child('secretRef')),
  ],
  fc: validateFibreChannel,
  flexVolume(source, path, { domains }) {
    const errors = needs(source, path, 'driver');
    const { driver, options = {} } = source;
    if (driver !== '') errors.push(...validateText(driver, qualifiedName, path.child('driver')));
    for (const key of Object.keys(options).sort()) {
      const owner = `.${key.split('/')[0]!.toLowerCase()}`;
      if (!domains.some((domain) => owner.endsWith(`.${domain}`))) continue;
      const names = [...domains].sort((a, b) => b.length - a.length).join(' and ');
      errors.push(invalidValue(path.child('options').key(key), key, `${names} namespaces are reserved`));
    }
    return errors;
  },
  azureFile(source, path) {
    const errors = needs(source, path, 'secretName', 'shareName');
    if (source.secretNamespace === '') errors.push(required(path.child('secretNamespace')));
    return errors;
  },
  vsphereVolume: (source, path) => needs(source, path, 'volumePath'),
  photonPersistentDisk: (source, path) => needs(source, path, 'pdID'),
  portworxVolume: (source, path) => needs(source, path, 'volumeID'),
  azureDisk(source, path) {
    const modes = ['None', 'ReadOnly', 'ReadWrite'];
    const kinds = ['Dedicated', 'Managed', 'Shared'];
    const errors = needs(source, path, 'diskName', 'diskURI');
    const { cachingMode, kind, diskURI } = source;
    if (cachingMode !== undefined && !modes.includes(cachingMode)) {
      errors.push(notSupported(path.child('cachingMode'), cachingMode, modes));
    }
    if (kind !== undefined && !kinds.includes(kind)) errors.push(notSupported(path.child('kind'), kind, kinds));
    const managed = kind === 'Managed';
    const prefixes = managed ? ['/subscriptions/'] : ['https://'];
    if (!diskURI.startsWith(prefixes[0]!)) {
      const form = managed
        ? '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
        : 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
      errors.push(notSupported(path.child('diskURI'), diskURI, [form]));
    }
    return errors;
  },
  scaleIO: (source, path) => [
    ...needs(source, path, 'gateway', 'system', 'volumeName'),
    ...validateSecret(source.secretRef, path.child('secretRef')),
  ],
  local(source, path) {
    if (source.path === '') return [required(path.child('path'))];
    return validateNoBacksteps(source.path, path.child('path'));
  },
  storageos(source, path) {
    const errors: FieldError[] = [];
    const { volumeName = '', volumeNamespace = '' } = source;
    if (volumeName === '') errors.push(required(path.child('volumeName')));
    else errors.push(...validateText(volumeName, dns1123Label, path.child('volumeName')));
    if (volumeNamespace !== '') {
      errors.push(...validateText(volumeNamespace, dns1123Label, path.child('volumeNamespace')));
    }
    return [...errors, ...validateSecret(source.secretRef, path.child('secretRef'))];
  },
  csi: validateCsi,
};

/** The fields of a volume that hold its source. */
export const sourceTypes = Object.keys(sourceChecks) as (keyof typeof sourceChecks)[];

/** Exactly one source, and that one as its type wants it. */
export function validateSources(
  spec: PersistentVolumeSpec,
  naming: Pick<Naming, 'domains'>,
  path: FieldPath,
  nodeAffinityGiven: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const type of sourceTypes) {
    const source = spec[type];
    if (source === undefined) continue;
    if (found++ > 0) {
      errors.push(forbiddenField(path.child(type), 'may not specify more than 1 volume type'));
      continue;
    }
    const check = sourceChecks[type] as SourceCheck<object>;
    errors.push(...check(source as object, path.child(type), naming));
    if (type === 'local' && !nodeAffinityGiven) {
      errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
    }
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}
