import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  FieldPath,
  fieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { requestSignatureHolds } from '#base/x509/request-signature.ts';
import type { PodCertificateRequest } from '#schema/generated/certificates.v1.ts';
import type { Condition } from '#schema/generated/meta.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { dns1123Subdomain, qualifiedName, type TextCheck } from '#schema/validation/names.ts';
import { validateRange } from '#schema/validation/numbers.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';
import { longestExpiration, validateSignerName } from './signer-name.ts';
import { trustBundleProblems } from './trust-bundle.ts';

const SPEC = new FieldPath('spec');
const STATUS = new FieldPath('status');
const HOUR = 3600;
const MAX_UID = bounds['certificates.v1.PodCertificateRequestSpec'].podUID.maxLength;
const MAX_REQUEST_BYTES = 10 * 1024;
const FINAL = ['Issued', 'Denied', 'Failed'];

function validateName(value: string, check: TextCheck, path: FieldPath): FieldError[] {
  return check(value).map((problem) => invalidValue(path, value, problem));
}

function validateUid(value: string, path: FieldPath): FieldError[] {
  if (value === '') return [invalidValue(path, value, 'must not be empty')];
  return Buffer.byteLength(value) > MAX_UID ? [tooLong(path, value, MAX_UID)] : [];
}

/** Whether a DER text is a certificate request that is signed by its own key. */
function isRequest(base64: string): boolean {
  try {
    return requestSignatureHolds(`-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`);
  } catch {
    return false;
  }
}

function validateRequest(request: string, path: FieldPath): FieldError[] {
  // The message names no value, because the fault is in several fields.
  const one = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
  if (request === '') return [fieldError('FieldValueInvalid', SPEC, `Invalid value: ${one}`)];
  if (Buffer.byteLength(request, 'base64') > MAX_REQUEST_BYTES) return [tooLong(path, '', MAX_REQUEST_BYTES)];
  return isRequest(request) ? [] : [invalidValue(path, '', 'must be a valid PKCS#10 CSR')];
}

function validate({ spec }: PodCertificateRequest, { naming }: { naming: Naming }): FieldError[] {
  const at = (name: string) => SPEC.child(name);
  return [
    ...(spec.signerName === '' ? [required(at('signerName'))] : validateSignerName(spec.signerName, at('signerName'))),
    ...validateName(spec.podName, dns1123Subdomain, at('podName')),
    ...validateUid(spec.podUID, at('podUID')),
    ...validateName(spec.serviceAccountName, dns1123Subdomain, at('serviceAccountName')),
    ...validateUid(spec.serviceAccountUID, at('serviceAccountUID')),
    ...validateName(spec.nodeName, dns1123Subdomain, at('nodeName')),
    ...validateUid(spec.nodeUID, at('nodeUID')),
    ...rangeOf(spec.maxExpirationSeconds, longestExpiration(spec.signerName, naming)),
    ...validateRequest(spec.stubPKCS10Request ?? '', at('stubPKCS10Request')),
    ...Object.keys(spec.unverifiedUserAnnotations ?? {}).flatMap((key) =>
      validateName(key, qualifiedName, at('unverifiedUserAnnotations')),
    ),
  ];
}

function rangeOf(seconds: number | undefined, longest: number): FieldError[] {
  const path = SPEC.child('maxExpirationSeconds');
  if (seconds === undefined) return [];
  if (validateRange(seconds, HOUR, longest, path).length === 0) return [];
  return [invalidValue(path, seconds, `must be in the range [${HOUR}, ${longest}]`)];
}

function finalCondition({ status }: PodCertificateRequest): Condition | undefined {
  return status?.conditions?.find(({ type }) => FINAL.includes(type));
}

/** Validates the status. A decision is final, and only an issued certificate has a chain and times. */
function validateStatus(
  object: PodCertificateRequest,
  old: PodCertificateRequest,
  { release }: WriteContext,
): FieldError[] {
  if (finalCondition(old) !== undefined) {
    if (semanticallyEqual(object.status, old.status)) return [];
    return [invalidValue(STATUS, '', 'immutable after PodCertificateRequest is issued, denied, or failed')];
  }
  const conditions = object.status?.conditions ?? [];
  const path = STATUS.child('conditions');
  const errors = conditions.flatMap(({ type, status }, i): FieldError[] => {
    // Clients know the item by this path.
    const at = path.child(`[${i}]`);
    if (!FINAL.includes(type)) return [notSupported(at.child('type'), type, FINAL)];
    return status === 'True' ? [] : [notSupported(at.child('status'), status, ['True'])];
  });
  append(errors, validateConditions(conditions, path, release));
  if (errors.length > 0 || !conditions.some(({ type }) => type === 'Issued')) return errors;
  return validateIssued(object);
}

function validateIssued({ status = {} }: PodCertificateRequest): FieldError[] {
  const chain = STATUS.child('certificateChain');
  const { certificateChain = '', notBefore, notAfter, beginRefreshAt } = status;
  if (certificateChain === '')
    return [invalidValue(chain, '', 'issued certificate chain must contain at least one certificate')];
  const [problem] = trustBundleProblems(certificateChain);
  if (problem !== undefined) return [invalidValue(chain, certificateChain, problem)];
  return Object.entries({ notBefore, notAfter, beginRefreshAt })
    .filter(([, time]) => time === undefined || time === null)
    .map(([name]) => required(STATUS.child(name), 'must be present and non-zero'));
}

function stateText(object: PodCertificateRequest): string {
  return finalCondition(object)?.type ?? 'Pending';
}

function annotationsText({ spec }: PodCertificateRequest): string {
  const pairs = Object.entries(spec.unverifiedUserAnnotations ?? {});
  return pairs.length === 0 ? '<none>' : pairs.map(([key, value]) => `${key}=${value}`).join(',');
}

/** The kind of requests by nodes for certificates of their pods. */
export const podCertificateRequest = defineKind('certificates/podcertificaterequests', {
  validate,
  validateUpdate: (object, old) =>
    semanticallyEqual(object.spec, old.spec) ? [] : [invalidValue(SPEC, object.spec, IMMUTABLE)],
  statusResets: METADATA_AND_SPEC,
  subresources: { status: { prepareForUpdate: keepAllButStatus, validateUpdate: validateStatus } },
  selectableFields: {
    'spec.signerName': ({ spec }) => spec.signerName,
    'spec.nodeName': ({ spec }) => spec.nodeName,
    'spec.podName': ({ spec }) => spec.podName,
  },
  cells: (object) => [
    object.metadata.name ?? '',
    object.spec.podName,
    object.spec.serviceAccountName,
    object.spec.nodeName,
    object.spec.signerName,
    stateText(object),
    annotationsText(object),
  ],
});
