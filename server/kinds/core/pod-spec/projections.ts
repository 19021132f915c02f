import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '#schema/generated/core.v1.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { qualifiedName, subdomainName } from '#schema/validation/names.ts';
import { longestExpiration, validateSignerName } from '../../certificates/signer-name.ts';
import type { PodSpecContext } from './context.ts';
import { FILE_FIELDS, validateFieldReference, validateResourceReference } from './field-references.ts';
import { validateFileMode, validateUnreservedPath } from './file-paths.ts';

const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];

interface KeyedFiles {
  defaultMode?: number;
  items?: readonly KeyToPath[] | null;
}

/** Validates files from the keys of a secret or config map. */
export function validateKeyedFiles(source: KeyedFiles, path: FieldPath): FieldError[] {
  return [
    ...validateFileMode(source.defaultMode, path.child('defaultMode')),
    ...(source.items ?? []).flatMap((item, i) => validateKeyFile(item, path.child('items').index(i))),
  ];
}

function validateKeyFile({ key, path: file = '', mode }: KeyToPath, path: FieldPath): FieldError[] {
  return [
    ...(key ? [] : [required(path.child('key'))]),
    ...(file === '' ? [required(path.child('path'))] : []),
    ...validateUnreservedPath(file, path.child('path')),
    ...validateFileMode(mode, path.child('mode')),
  ];
}

/**
 * Validates a file that shows a field of the pod or an amount of one of its containers. Errors do not name the item.
 */
export function validateFieldFile(file: DownwardAPIVolumeFile, path: FieldPath, context: PodSpecContext): FieldError[] {
  const { fieldRef, resourceFieldRef } = file;
  const errors = [
    ...(file.path ? [] : [required(path.child('path'))]),
    ...validateUnreservedPath(file.path ?? '', path.child('path')),
  ];
  if (fieldRef != null) {
    append(errors, validateFieldReference(fieldRef, FILE_FIELDS, path.child('fieldRef')));
    if (resourceFieldRef != null) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalidValue(path, 'resource', detail));
    }
  } else if (resourceFieldRef != null) {
    append(errors, validateResourceReference(resourceFieldRef, 'file', path.child('resourceFieldRef'), context));
  } else {
    errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...validateFileMode(file.mode, path.child('mode'))];
}

/** Validates files from several sources in one folder. No two files may have the same path. */
export function validateProjected(
  projected: ProjectedVolumeSource,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  const seen = new Set<string>();
  const claim = (file: string | undefined, shown: string): FieldError[] => {
    if (!file) return [];
    if (seen.has(file)) return [invalidValue(path, shown, 'conflicting duplicate paths')];
    seen.add(file);
    return [];
  };
  return [
    ...validateFileMode(projected.defaultMode, path.child('defaultMode')),
    ...(projected.sources ?? []).flatMap((source, i) =>
      validateSource(source, path.child('sources').index(i), path, claim, context),
    ),
  ];
}

type Claim = (file: string | undefined, shown: string) => FieldError[];

function validateSource(
  source: VolumeProjection,
  path: FieldPath,
  volume: FieldPath,
  claim: Claim,
  context: PodSpecContext,
): FieldError[] {
  const { downwardAPI, serviceAccountToken } = source;
  const errors: FieldError[] = [];
  for (const name of ['secret', 'configMap'] as const) {
    const keyed = source[name];
    if (keyed == null) continue;
    const at = path.child(name);
    if (!keyed.name) errors.push(required(at.child('name')));
    (keyed.items ?? []).forEach((item, i) => {
      append(errors, validateKeyFile(item, at.child('items').index(i)), claim(item.path, keyed.name ?? ''));
    });
  }
  for (const file of downwardAPI?.items ?? []) {
    append(errors, validateFieldFile(file, path.child('downwardAPI'), context), claim(file.path, file.path));
  }
  if (serviceAccountToken != null) {
    append(errors, validateToken(serviceAccountToken, path.child('serviceAccountToken'), volume));
  }
  if (source.clusterTrustBundle != null)
    append(errors, validateTrustBundle(source.clusterTrustBundle, path.child('clusterTrustBundle'), claim));
  if (source.podCertificate != null)
    append(errors, validatePodCertificate(source.podCertificate, path.child('podCertificate'), claim, context));
  if (Object.values(source).filter((one) => one != null).length > 1) {
    errors.push(forbiddenField(path, 'may not specify more than 1 volume type'));
  }
  return errors;
}

/** Validates a source of trusted certificates: one bundle, or the bundles of a signer. */
function validateTrustBundle(source: ClusterTrustBundleProjection, path: FieldPath, claim: Claim): FieldError[] {
  const { name, signerName, labelSelector, path: file } = source;
  const errors: FieldError[] = [];
  if (name !== undefined && signerName !== undefined)
    errors.push(invalidValue(path, source, 'only one of name and signerName may be used'));
  else if (name !== undefined) {
    const at = path.child('name');
    if (name === '') errors.push(required(at, 'must be a valid object name'));
    // The name of a signer's bundle begins with the name of the signer.
    const own = name.slice(name.lastIndexOf(':') + 1);
    const problems = subdomainName(own).map((problem) => `not a valid clustertrustbundlename: ${problem}`);
    append(
      errors,
      problems.map((problem) => invalidValue(at, name, problem)),
    );
    if (labelSelector !== undefined) {
      const detail = 'labelSelector must be unset if name is specified';
      errors.push(invalidValue(path.child('labelSelector'), labelSelector, detail));
    }
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(path.child('signerName'), 'must be a valid signer name'));
    append(errors, validateSignerName(signerName, path.child('signerName')));
    if (labelSelector !== undefined) append(errors, validateLabelSelector(labelSelector, path.child('labelSelector')));
  } else errors.push(required(path, 'either name or signerName must be specified'));
  if (file === '') errors.push(required(path.child('path')));
  return [...errors, ...validateUnreservedPath(file, path.child('path')), ...claim(file, file)];
}

/** Validates a source with a key and its certificate from a signer, in one file or in two. */
function validatePodCertificate(
  source: PodCertificateProjection,
  path: FieldPath,
  claim: Claim,
  { naming }: PodSpecContext,
): FieldError[] {
  const { signerName, keyType, maxExpirationSeconds: seconds, userAnnotations } = source;
  const errors = validateSignerName(signerName, path.child('signerName'));
  for (const key of Object.keys(userAnnotations ?? {}))
    append(
      errors,
      qualifiedName(key).map((problem) => invalidValue(path.child('userAnnotations'), key, problem)),
    );
  if (!KEY_TYPES.includes(keyType)) errors.push(notSupported(path.child('keyType'), keyType, KEY_TYPES));
  if (seconds !== undefined) {
    const at = path.child('maxExpirationSeconds');
    const longest = longestExpiration(signerName, naming);
    if (seconds < 3600) errors.push(invalidValue(at, seconds, 'if provided, maxExpirationSeconds must be >= 3600'));
    if (seconds > longest)
      errors.push(invalidValue(at, seconds, `if provided, maxExpirationSeconds must be <= ${longest}`));
  }
  const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;
  for (const name of files) {
    const file = source[name] ?? '';
    if (file !== '') append(errors, validateUnreservedPath(file, path.child(name)), claim(file, file));
  }
  if (files.every((name) => (source[name] ?? '') === '')) {
    const detail = 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath';
    errors.push(required(path, detail));
  }
  return errors;
}

function validateToken(token: ServiceAccountTokenProjection, path: FieldPath, volume: FieldPath): FieldError[] {
  const at = path.child('expirationSeconds');
  const seconds = Number(token.expirationSeconds ?? 0);
  const errors: FieldError[] = [];
  if (seconds < 600) {
    errors.push(invalidValue(at, token.expirationSeconds ?? 0, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > 2 ** 32) {
    errors.push(invalidValue(at, token.expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return token.path ? errors : [...errors, required(volume.child('path'))];
}
