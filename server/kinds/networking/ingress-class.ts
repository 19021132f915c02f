import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  FieldPath,
  forbiddenField,
  notSupported,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { ingressClassVersions } from '#schema/conversion/networking/ingress-class.ts';
import type { IngressClass, IngressClassParametersReference } from '#schema/generated/networking.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateDomainPrefixedPath } from '#schema/validation/domain-names.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import type { KindRules } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { validateTypedReference } from './typed-reference.ts';

const SCOPES = ['Cluster', 'Namespace'] as const;
const MAX_CONTROLLER = bounds['networking.v1.IngressClassSpec'].controller.maxLength;
const spec = new FieldPath('spec');

function validateParameters(
  parameters: IngressClassParametersReference,
  release: Release,
  path: FieldPath,
): FieldError[] {
  const reference = validateTypedReference(parameters, path, { says: !release.atLeast(34) });
  // Since 1.37 the errors about missing fields are the last ones.
  const missing = release.atLeast(37) ? reference.filter(({ type }) => type === 'FieldValueRequired') : [];
  const errors = reference.filter((error) => !missing.includes(error));
  const { scope, namespace } = parameters;
  const at = path.child('namespace');
  if (scope === 'Namespace') {
    if (namespace === undefined) errors.push(required(at, "`parameters.scope` is set to 'Namespace'"));
    else append(errors, validateText(namespace, dns1123Label, at));
  } else if (scope === 'Cluster') {
    if (namespace !== undefined) errors.push(forbiddenField(at, "`parameters.scope` is set to 'Cluster'"));
  } else if (scope === undefined || scope === null) {
    errors.push(required(path.child('scope')));
  } else {
    errors.push(notSupported(path.child('scope'), scope, SCOPES));
  }
  return [...errors, ...missing];
}

function parametersText({ apiGroup, kind, name }: IngressClassParametersReference): string {
  return `${kind}${apiGroup === undefined || apiGroup === null ? '' : `.${apiGroup}`}/${name}`;
}

/** The kind of ingress classes: the controller of an ingress, and its parameters. The controller never changes. */
export const createIngressClassRules = (release: Release): KindRules<IngressClass> =>
  defineKind('networking/ingressclasses', {
    revalidatesOnUpdate: true,
    versions: ingressClassVersions,
    validate(object) {
      const { controller = '', parameters } = object.spec ?? {};
      const at = spec.child('controller');
      const long = controller.length > MAX_CONTROLLER ? [tooLong(at, controller, MAX_CONTROLLER)] : [];
      return [
        ...long,
        ...validateDomainPrefixedPath(controller, at),
        ...(parameters === undefined ? [] : validateParameters(parameters, release, spec.child('parameters'))),
      ];
    },
    validateUpdate: (object, old) =>
      validateImmutable(object.spec?.controller ?? '', old.spec?.controller ?? '', spec.child('controller')),
    cells: (object, { now }) => [
      object.metadata.name ?? '',
      object.spec?.controller ?? '',
      object.spec?.parameters === undefined ? '<none>' : parametersText(object.spec.parameters),
      age(object.metadata.creationTimestamp, now),
    ],
  });
