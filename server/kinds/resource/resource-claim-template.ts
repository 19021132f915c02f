import { FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { resourceClaimTemplateVersions } from '#schema/conversion/resource/claims.ts';
import { age } from '#schema/validation/human-duration.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateTemplateMetadata } from '../core/pod-spec/claim-template.ts';
import { defineKind } from '../define-kind.ts';
import { validateAdminAccess, validateClaimSpec } from './claim-spec.ts';

const SPEC = new FieldPath('spec');

/** The kind of templates for claims that are created for pods. */
export const resourceClaimTemplate = defineKind('resource/resourceclaimtemplates', {
  versions: resourceClaimTemplateVersions,
  validate: ({ spec }, context) => [
    ...validateTemplateMetadata(spec?.metadata, SPEC.child('metadata'), 'cannot be set'),
    ...validateClaimSpec(spec?.spec ?? {}, SPEC.child('spec'), context.release),
    ...validateAdminAccess(spec?.spec ?? {}, context),
  ],
  validateUpdate: (object, old) =>
    semanticallyEqual(object.spec, old.spec) ? [] : [invalidValue(SPEC, object.spec, IMMUTABLE)],
  cells: ({ metadata }, { now }) => [metadata.name ?? '', age(metadata.creationTimestamp, now)],
});
