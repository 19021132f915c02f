import { askedBefore } from '#base/collections/asked-before.ts';
import { declared, duplicate, type FieldError, FieldPath, required } from '#base/errors/field-error.ts';
import type { RuntimeClass } from '#schema/generated/node.v1.ts';
import { deprecatedLabelWarning } from '#schema/validation/deprecated-labels.ts';
import { age } from '#schema/validation/human-duration.ts';
import { fixedByRule, semanticKey, validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { validateLabels } from '#schema/validation/labels.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
import { validateResourceRequirements } from '#schema/validation/resources.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { validateTolerations } from '../core/pod-spec/tolerations.ts';
import { defineKind } from '../define-kind.ts';

const HANDLER = new FieldPath('handler');
const SCHEDULING = new FieldPath('scheduling');

function validateScheduling({ scheduling }: RuntimeClass): FieldError[] {
  if (scheduling === undefined) return [];
  const { nodeSelector, tolerations = [] } = scheduling;
  const path = SCHEDULING.child('tolerations');
  const again = askedBefore<string>();
  return [
    ...validateLabels(nodeSelector, SCHEDULING.child('nodeSelector')),
    ...tolerations.flatMap((toleration, i) =>
      again(semanticKey(toleration)) ? [duplicate(path.index(i), toleration)] : [],
    ),
    // Clients see the field's name twice.
    ...validateTolerations(tolerations, path.child('tolerations')),
  ];
}

/** Validates the name of a runtime. Since 1.37 there is a separate error about a missing name. */
function validateHandler(handler: string, { release }: WriteContext): FieldError[] {
  const isMissing = handler === '' && release.atLeast(37);
  return declared(isMissing ? [required(HANDLER)] : validateText(handler, dns1123Label, HANDLER), 37);
}

function validate(object: RuntimeClass, context: WriteContext): FieldError[] {
  const { handler, overhead } = object;
  const { naming } = context;
  const limits = overhead?.podFixed;
  return [
    ...validateHandler(handler, context),
    ...(limits === undefined
      ? []
      : validateResourceRequirements({ limits }, resourceNames(naming), new FieldPath('overhead'))),
    ...validateScheduling(object),
  ];
}

/** The kind of container runtimes, with their overhead and the nodes that have them. */
export const runtimeClass = defineKind('node/runtimeclasses', {
  anyFinalizers: true,
  validate,
  validateUpdate: (object, old, context) => [
    ...validateKindMetadata(object, { namespaced: false, anyFinalizers: true }, context.naming),
    ...validate(object, context),
    ...validateImmutable(object.handler, old.handler, HANDLER).map(fixedByRule),
  ],
  warnings: ({ scheduling }, _old, { naming }) =>
    Object.keys(scheduling?.nodeSelector ?? {})
      .sort()
      .flatMap((key) => deprecatedLabelWarning(key, SCHEDULING.child('nodeSelector'), naming)),
  cells: ({ metadata, handler }, { now }) => [metadata.name ?? '', handler, age(metadata.creationTimestamp, now)],
});
