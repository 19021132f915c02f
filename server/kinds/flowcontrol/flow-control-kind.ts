import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { KindVersions } from '#schema/conversion/version-rules.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';
import { type FlowStatus, validateFlowStatus } from './status.ts';

/** The path of the spec of both kinds. */
export const SPEC = new FieldPath('spec');

type FlowControlObject<Spec> = ApiObject & { spec?: Spec; status?: FlowStatus };

interface Particulars<T, Spec> {
  readonly plural: string;
  readonly versions: KindVersions;
  /** The spec with which an object without a spec is checked. */
  readonly emptySpec: Spec;
  readonly validateSpec: (spec: Spec, name: string) => FieldError[];
  /** The specs that some objects must have, by name. */
  readonly mandatory: Readonly<Record<string, Spec>>;
  /** The spec without the fields that may change in a mandatory object. Absent means that all are fixed. */
  readonly variable?: (spec: Spec) => object;
  readonly cells: NonNullable<KindRules<T & ApiObject>['cells']>;
}

/**
 * The rules of a flow-control kind. Both versions have the same fields. Some objects have a fixed spec. A condition
 * type occurs once. Every update validates the whole object again, even an update of the status.
 */
export function flowControlKind<Spec extends object, T extends FlowControlObject<Spec>>({
  plural,
  versions,
  emptySpec,
  validateSpec,
  mandatory,
  variable = (spec) => spec,
  cells,
}: Particulars<T, Spec>): KindRules<T> {
  function validate({ metadata, spec = emptySpec, status }: FlowControlObject<Spec>): FieldError[] {
    const { name = '' } = metadata;
    const errors = validateSpec(spec, name);
    const fixed = Object.hasOwn(mandatory, name) ? mandatory[name] : undefined;
    if (fixed !== undefined && !semanticallyEqual(variable(spec), variable(fixed))) {
      errors.push(invalidValue(SPEC, spec, `spec of '${name}' must equal the fixed value`));
    }
    return [...errors, ...validateFlowStatus(status)];
  }
  return {
    group: 'flowcontrol.apiserver',
    plural,
    versions,
    revalidatesOnUpdate: true,
    ignoresMetadataChange: true,
    validate,
    statusResets: METADATA_AND_SPEC,
    subresources: {
      status: {
        prepareForUpdate(object, old) {
          keepAllButStatus(object, old);
          const { deletionGracePeriodSeconds: grace } = old.metadata;
          if (grace === undefined) delete object.metadata.deletionGracePeriodSeconds;
          else object.metadata.deletionGracePeriodSeconds = grace;
        },
        ignoresMetadataChange: true,
        validateUpdate: (object, _old, { naming }: WriteContext) => [
          ...validateKindMetadata(object, { namespaced: false }, naming),
          ...validate(object),
        ],
      },
    },
    cells,
  };
}
