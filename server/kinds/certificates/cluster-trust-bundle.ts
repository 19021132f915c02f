import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { ClusterTrustBundle } from '#schema/generated/certificates.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { pathSegmentName, subdomainName } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';
import { validateSignerName } from './signer-name.ts';
import { trustBundleProblems } from './trust-bundle.ts';

const NAME = new FieldPath('metadata').child('name');
const SPEC = new FieldPath('spec');
const MAX_BUNDLE_BYTES = bounds['certificates.v1.ClusterTrustBundleSpec'].trustBundle.maxLength;
const OMITTED = '<value omitted>';

/** Validates the name of a signer's bundle. It begins with the name of the signer, in a form that is valid in names. */
function validateName({ metadata, spec }: ClusterTrustBundle): FieldError[] {
  const { name = '' } = metadata;
  const { signerName = '' } = spec;
  if (signerName === '') {
    if (!name.includes(':')) return subdomainName(name).map((problem) => invalidValue(NAME, name, problem));
    return [invalidValue(NAME, name, 'ClusterTrustBundle without signer name must not have ":" in its name')];
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (!name.startsWith(prefix)) {
    const detail = `ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`;
    return [invalidValue(NAME, name, detail)];
  }
  return subdomainName(name.slice(prefix.length)).map((problem) => invalidValue(NAME, name, problem));
}

function validateBundle({ spec }: ClusterTrustBundle): FieldError[] {
  const path = SPEC.child('trustBundle');
  const bytes = Buffer.byteLength(spec.trustBundle);
  if (bytes > MAX_BUNDLE_BYTES)
    return [invalidValue(path, OMITTED, `Too long: may not be more than ${MAX_BUNDLE_BYTES} bytes`)];
  return trustBundleProblems(spec.trustBundle).map((problem) => invalidValue(path, OMITTED, problem));
}

function validateSigner({ spec }: ClusterTrustBundle): FieldError[] {
  return (spec.signerName ?? '') === '' ? [] : validateSignerName(spec.signerName!, SPEC.child('signerName'));
}

/** The kind of bundles of trusted certificates. All clients trust them, or only those that trust a signer. */
export const clusterTrustBundle = defineKind('certificates/clustertrustbundles', {
  validateName: pathSegmentName,
  validate: (object) => [...validateName(object), ...validateSigner(object), ...validateBundle(object)],
  validateUpdate: (object, old) => [
    ...validateName(object),
    ...validateSigner(object),
    // An unchanged bundle stays valid.
    ...(object.spec.trustBundle === old.spec.trustBundle ? [] : validateBundle(object)),
    ...validateImmutable(object.spec.signerName, old.spec.signerName, SPEC.child('signerName')),
  ],
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
  cells: ({ metadata, spec }) => [metadata.name ?? '', (spec.signerName ?? '') === '' ? '<none>' : spec.signerName!],
});
