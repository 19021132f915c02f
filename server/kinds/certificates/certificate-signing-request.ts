import { X509Certificate } from 'node:crypto';
import { append } from '#base/collections/append.ts';
import { askedBefore } from '#base/collections/asked-before.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { pemBlocks } from '#base/x509/pem.ts';
import { FieldSet } from '#schema/apply/field-set.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import { age, humanDuration } from '#schema/validation/human-duration.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { pathSegmentName } from '#schema/validation/names.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { requestProblem } from './certificate-request.ts';
import { keepDecision, stampConditions, validateConditions, validateConditionsUpdate } from './conditions.ts';
import { validateSignerName } from './signer-name.ts';

const SPEC = new FieldPath('spec');
const MIN_SECONDS = 600;

/** The allowed usages of a key, in the words of a request (RFC 5280, 4.2.1.3 and 4.2.1.12). */
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

function validateUsages(usages: readonly string[], path: FieldPath): FieldError[] {
  if (usages.length === 0) return [required(path, 'usages must be provided')];
  const again = askedBefore<string>();
  return [
    ...usages.flatMap((usage, i) => (USAGES.includes(usage) ? [] : [notSupported(path.index(i), usage, USAGES)])),
    ...usages.flatMap((usage, i) => (again(usage) ? [duplicate(path.index(i), usage)] : [])),
  ];
}

/** The error of the certificates that a signer wrote into the status; undefined if they are valid. */
function certificateProblem(base64: string): string | undefined {
  const blocks = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const { type, hasHeaders, der } of blocks) {
    if (type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    }
    if (hasHeaders) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(der);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return undefined;
}

function validate(object: CertificateSigningRequest, { naming }: WriteContext): FieldError[] {
  const { request, usages, signerName, expirationSeconds } = object.spec;
  const problem = requestProblem(request);
  const errors = problem === undefined ? [] : [invalidValue(SPEC.child('request'), request ?? '', problem)];
  append(errors, validateUsages(usages ?? [], SPEC.child('usages')));
  if (signerName === naming.key('legacy-unknown')) {
    const detail = 'the legacy signerName is not allowed via this API version';
    errors.push(invalidValue(SPEC.child('signerName'), signerName, detail));
  } else append(errors, validateSignerName(signerName, SPEC.child('signerName')));
  if (expirationSeconds !== undefined && expirationSeconds < MIN_SECONDS) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalidValue(SPEC.child('expirationSeconds'), expirationSeconds, detail));
  }
  append(errors, validateConditions(object));
  const certificate = object.status?.certificate ?? '';
  const why = certificate === '' ? undefined : certificateProblem(certificate);
  if (why !== undefined) errors.push(invalidValue('status.certificate', '<certificate data>', why));
  return errors;
}

type View = 'main' | 'approval' | 'status';

function updateErrors(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  context: WriteContext,
  view: View,
): FieldError[] {
  const errors = [
    ...validateKindMetadata(object, { namespaced: false, validateName: pathSegmentName }, context.naming),
    ...validate(object, context),
    ...validateConditionsUpdate(object, old, view === 'approval'),
  ];
  const [certificate, before] = [object, old].map(({ status }) => status?.certificate ?? '');
  if (certificate === before) return errors;
  if (view !== 'status') errors.push(forbiddenField('status.certificate', 'updates may not set certificate content'));
  else if (before !== '') {
    const detail = 'updates may not modify existing certificate content';
    errors.push(forbiddenField('status.certificate', detail));
  }
  return errors;
}

/** The state of a request for its column, such as `Approved,Issued`. */
function stateOf({ status }: CertificateSigningRequest): string {
  const has = (wanted: string) => (status?.conditions ?? []).some(({ type }) => type === wanted);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const failed = has('Failed') ? ',Failed' : '';
  return `${decision}${failed}${(status?.certificate ?? '') === '' ? '' : ',Issued'}`;
}

/**
 * The kind of requests for certificates. The server records the user who sends the request. Clients write the approval
 * and the certificate through subresources.
 */
export const certificateSigningRequest = defineKind('certificates/certificatesigningrequests', {
  validateName: pathSegmentName,
  viewResets: {
    '': FieldSet.ofMembers(['spec'], ['status']),
    approval: FieldSet.ofMembers(['spec'], ['status', 'certificate']),
    status: FieldSet.ofMembers(['spec'], ['status', 'conditions']),
  },
  prepareForCreate({ spec }, { user }) {
    delete spec.username;
    delete spec.uid;
    delete spec.groups;
    delete spec.extra;
    if (user === undefined) return;
    spec.username = user.name;
    spec.uid = user.uid;
    spec.groups = [...user.groups];
    const extra = Object.entries(user.extra).map(([key, values]): [string, string[]] => [key, [...values]]);
    if (extra.length > 0) spec.extra = Object.fromEntries(extra);
  },
  prepareForUpdate(object, old) {
    object.spec = cloneJson(old.spec);
  },
  validate,
  validateUpdate: (object, old, context) => updateErrors(object, old, context, 'main'),
  subresources: {
    status: {
      prepareForUpdate(object, old, { now }) {
        object.spec = cloneJson(old.spec);
        keepDecision(object, old);
        stampConditions(object, old, now);
      },
      validateUpdate: (object, old, context) => updateErrors(object, old, context, 'status'),
    },
    approval: {
      prepareForUpdate(object, old, { now }) {
        object.spec = cloneJson(old.spec);
        stampConditions(object, old, now);
        const certificate = old.status?.certificate;
        object.status ??= {};
        if (certificate === undefined) delete object.status.certificate;
        else object.status.certificate = certificate;
      },
      validateUpdate: (object, old, context) => updateErrors(object, old, context, 'approval'),
    },
  },
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    age(object.metadata.creationTimestamp, now),
    object.spec.signerName || '<none>',
    object.spec.username ?? '',
    object.spec.expirationSeconds === undefined ? '<none>' : humanDuration(object.spec.expirationSeconds * 1000),
    stateOf(object),
  ],
});
