import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import { MOST_ERRORS } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type {
  AzureDiskVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexPersistentVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from '#schema/generated/core.v1.ts';
import { validateDriverName } from '#schema/validation/driver-name.ts';
import { dns1123Label, dns1123Subdomain } from '#schema/validation/names.ts';
import { rangeMessage } from '#schema/validation/numbers.ts';

const IQN = /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+(:[^,;*&$|\s]+)$/;
const EUI = /^eui.[A-Za-z0-9]{16}$/;
const NAA = /^naa.[A-Za-z0-9]{32}$/;

/** Validates the name of an iSCSI node: `iqn.`, `eui.` or `naa.`, and the rest that belongs to it. */
export function validateIscsiName(name: string, path: FieldPath): FieldError[] {
  const form = { iqn: IQN, eui: EUI, naa: NAA }[name.slice(0, 3)];
  return form?.test(name) === true ? [] : [invalidValue(path, name, 'must be valid format')];
}

/** The same check with a hint about the beginning. Volumes of pods have this hint. */
function validateHintedIscsiName(name: string, path: FieldPath): FieldError[] {
  if (/^(iqn|eui|naa)/.test(name)) return validateIscsiName(name, path);
  return [invalidValue(path, name, 'must be valid format starting with iqn, eui, or naa')];
}

function validateByte(value: number | undefined, path: FieldPath): FieldError[] {
  const number = value ?? 0;
  return number >= 0 && number <= 255 ? [] : [invalidValue(path, number, rangeMessage(0, 255))];
}

/**
 * Validates the number of a partition. 0 is the whole disk, although the error message says that numbers begin at 1.
 */
export function validatePartition(value: number | undefined, path: FieldPath): FieldError[] {
  const number = value ?? 0;
  return number >= 0 && number <= 255 ? [] : [invalidValue(path, number, rangeMessage(1, 255))];
}

export function validateIscsi(source: ISCSIVolumeSource, path: FieldPath): FieldError[] {
  const errors = source.targetPortal ? [] : [required(path.child('targetPortal'))];
  append(errors, source.iqn ? validateHintedIscsiName(source.iqn, path.child('iqn')) : [required(path.child('iqn'))]);
  append(errors, validateByte(source.lun, path.child('lun')));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef == null) {
    errors.push(required(path.child('secretRef')));
  }
  if (source.initiatorName != null) {
    append(errors, validateHintedIscsiName(source.initiatorName, path.child('initiatorname')));
  }
  return errors;
}

export function validateFibreChannel(source: FCVolumeSource, path: FieldPath): FieldError[] {
  const at = path.child('targetWWNs');
  const targets = source.targetWWNs?.length ?? 0;
  const ids = source.wwids?.length ?? 0;
  const errors: FieldError[] = [];
  if (targets === 0 && ids === 0) errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'));
  if (targets > 0 && ids > 0) {
    errors.push(invalidValue(at, source.targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targets === 0) return errors;
  const lun = path.child('lun');
  if (source.lun == null) return [...errors, required(lun, 'lun is required if targetWWNs is specified')];
  return [...errors, ...validateByte(source.lun, lun)];
}

export function validateFlex(
  source: FlexVolumeSource | FlexPersistentVolumeSource,
  path: FieldPath,
  { naming }: { readonly naming: Pick<Naming, 'domains'> },
): FieldError[] {
  const reserved = Object.keys(source.options ?? {}).filter((key) => {
    const domain = `.${key.toLowerCase().split('/', 1)[0]}`;
    return naming.domains.some((own) => domain.endsWith(`.${own}`));
  });
  const detail = `${naming.domains.join(' and ')} namespaces are reserved`;
  return [
    ...(source.driver ? [] : [required(path.child('driver'))]),
    ...reserved.map((key) => invalidValue(path.child('options').key(key), key, detail)),
  ];
}

export function validateQuobyte(source: QuobyteVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!source.registry) {
    errors.push(required(path.child('registry'), 'must be a host:port pair or multiple pairs separated by commas'));
  } else if ((source.tenant ?? '').length >= 65) {
    errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    const isPair = (pair: string) => /^(\[[^\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);
    const wrong = source.registry.split(',').filter((pair) => !isPair(pair)).length;
    if (wrong > 0) {
      const detail = 'must be a host:port pair or multiple pairs separated by commas';
      const error = invalidValue(path.child('registry'), source.registry, detail);
      append(errors, new Array<FieldError>(Math.min(wrong, MOST_ERRORS)).fill(error));
    }
  }
  return source.volume ? errors : [...errors, required(path.child('volume'))];
}

export function validateNfs({ server, path: exported = '' }: NFSVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...(server ? [] : [required(path.child('server'))]),
    ...(exported === '' ? [required(path.child('path'))] : []),
    ...(exported.startsWith('/') ? [] : [invalidValue(path.child('path'), exported, 'must be an absolute path')]),
  ];
}

export function validateFlocker({ datasetName, datasetUUID }: FlockerVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!datasetName && !datasetUUID) errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID) {
    errors.push(invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName?.includes('/')) {
    errors.push(invalidValue(path.child('datasetName'), datasetName, "must not contain '/'"));
  }
  return errors;
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  const { diskURI = '', cachingMode, kind } = source;
  const errors = source.diskName ? [] : [required(path.child('diskName'))];
  if (diskURI === '') errors.push(required(path.child('diskURI')));
  if (cachingMode !== undefined && !CACHING_MODES.includes(cachingMode)) {
    errors.push(notSupported(path.child('cachingMode'), cachingMode, CACHING_MODES));
  }
  if (kind !== undefined && !DISK_KINDS.includes(kind)) errors.push(notSupported(path.child('kind'), kind, DISK_KINDS));
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) {
    errors.push(notSupported(path.child('diskURI'), diskURI, [MANAGED_URI]));
  }
  if (kind !== undefined && kind !== 'Managed' && !diskURI.startsWith('https://')) {
    errors.push(notSupported(path.child('diskURI'), diskURI, [BLOB_URI]));
  }
  return errors;
}

export function validateStorageOs(source: StorageOSVolumeSource, path: FieldPath): FieldError[] {
  const label = (value: string, name: string) =>
    dns1123Label(value).map((problem) => invalidValue(path.child(name), value, problem));
  return [
    ...(source.volumeName ? label(source.volumeName, 'volumeName') : [required(path.child('volumeName'))]),
    ...(source.volumeNamespace ? label(source.volumeNamespace, 'volumeNamespace') : []),
    ...(source.secretRef != null && !source.secretRef.name ? [required(path.child('secretRef', 'name'))] : []),
  ];
}

export function validateCsi(source: CSIVolumeSource, path: FieldPath): FieldError[] {
  const errors = validateDriverName(source.driver ?? '', path.child('driver'));
  if (source.nodePublishSecretRef == null) return errors;
  const { name } = source.nodePublishSecretRef;
  if (!name) return [...errors, required(path.child('nodePublishSecretRef', 'name'))];
  // Clients know this error at the name of the source.
  return [...errors, ...dns1123Subdomain(name).map((problem) => invalidValue(path.child('name'), name, problem))];
}
