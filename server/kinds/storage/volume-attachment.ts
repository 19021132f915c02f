import {
  declared,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import { volumeAttachmentVersions } from '#schema/conversion/storage/volume-attachment.ts';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '#schema/generated/storage.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateDriverName } from '#schema/validation/driver-name.ts';
import { age } from '#schema/validation/human-duration.ts';
import { fixedByRule, IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { validateRange } from '#schema/validation/numbers.ts';
import { validateRequired, validateText } from '#schema/validation/reference.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validateVolumeSpec } from '../core/persistent-volume/spec.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';

const SPEC = new FieldPath('spec');
const STATUS = new FieldPath('status');
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_ERROR_BYTES = bounds['storage.v1.VolumeError'].message.maxLength;

function validateSource(source: VolumeAttachmentSource, context: WriteContext): FieldError[] {
  const path = SPEC.child('source');
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (name === undefined && inline === undefined) return [required(path, one)];
  if (name !== undefined && inline !== undefined) return [forbiddenField(path, one)];
  if (inline !== undefined) {
    const allowSinglePod = context.gates.enabled('ReadWriteOncePod');
    const rules = { naming: context.naming, allowSinglePod, inline: true };
    return validateVolumeSpec(inline, rules, path.child('inlineVolumeSpec'));
  }
  return name === ''
    ? [required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')]
    : [];
}

function validateError(error: VolumeError | undefined, path: FieldPath): FieldError[] {
  const bytes = Buffer.byteLength(error?.message ?? '');
  return [
    ...(bytes > MAX_ERROR_BYTES ? [tooLong(path.child('message'), '', MAX_ERROR_BYTES)] : []),
    ...validateRange(error?.errorCode, 0, 2147483647, path.child('errorCode')),
  ];
}

function validateStatus({ status }: VolumeAttachment): FieldError[] {
  const errors: FieldError[] = [];
  const path = STATUS.child('attachmentMetadata');
  let bytes = 0;
  for (const [key, value] of Object.entries(status?.attachmentMetadata ?? {})) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_METADATA_BYTES) errors.push(tooLong(path, '', MAX_METADATA_BYTES));
  return [
    ...errors,
    ...validateError(status?.attachError, STATUS.child('attachError')),
    ...validateError(status?.detachError, STATUS.child('detachError')),
  ];
}

function validateContent(object: VolumeAttachment, context: WriteContext): FieldError[] {
  const { attacher, source, nodeName } = object.spec;
  return [
    ...(context.release.atLeast(37) ? [] : validateRequired(attacher, SPEC.child('attacher'))),
    ...validateSource(source, context),
    ...validateText(nodeName, dns1123Subdomain, SPEC.child('nodeName')),
    ...validateStatus(object),
  ];
}

/**
 * Validates names in attachments. In earlier releases they had no rules, so only new ones must have the form of the
 * named object's names. Since 1.37 all must have it.
 */
function validateVolumeName({ spec }: VolumeAttachment): FieldError[] {
  const { persistentVolumeName: name } = spec.source;
  return name === undefined ? [] : validateText(name, dns1123Subdomain, SPEC.child('source', 'persistentVolumeName'));
}

function validateAttacher({ spec }: VolumeAttachment): FieldError[] {
  return validateDriverName(spec.attacher, SPEC.child('attacher'));
}

function validate(object: VolumeAttachment, context: WriteContext): FieldError[] {
  return [
    ...validateContent(object, context),
    ...declared(validateAttacher(object), 37),
    ...validateVolumeName(object),
  ];
}

function validateUpdate(object: VolumeAttachment, old: VolumeAttachment, context: WriteContext): FieldError[] {
  const changed = semanticallyEqual(object.spec, old.spec)
    ? []
    : [fixedByRule(invalidValue(SPEC, object.spec, IMMUTABLE))];
  if (context.release.atLeast(37)) {
    return [
      ...validateKindMetadata(object, { namespaced: false }, context.naming),
      ...validateAttacher(object),
      ...validateContent(object, context),
      ...validateVolumeName(object),
      ...changed,
    ];
  }
  const whole = [
    ...validateKindMetadata(object, { namespaced: false }, context.naming),
    ...validateContent(object, context),
  ];
  return [...whole, ...whole, ...changed];
}

/** The kind of requests to attach a volume to a node. */
export const volumeAttachment = defineKind('storage/volumeattachments', {
  ignoresMetadataChange: true,
  versions: volumeAttachmentVersions,
  validate,
  validateUpdate,
  statusResets: METADATA_AND_SPEC,
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      ignoresMetadataChange: true,
      validateUpdate,
    },
  },
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    spec.attacher,
    spec.source.persistentVolumeName ?? '',
    spec.nodeName,
    status?.attached ?? false,
    age(metadata.creationTimestamp, now),
  ],
});
