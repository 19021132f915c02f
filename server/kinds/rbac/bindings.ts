import { append } from '#base/collections/append.ts';
import {
  declared,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { bindingVersions } from '#schema/conversion/rbac/bindings.ts';
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from '#schema/generated/rbac.authorization.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { dns1123Subdomain, pathSegmentName, roleName } from '#schema/validation/names.ts';
import { validateRequired, validateText } from '#schema/validation/reference.ts';
import type { Cell, WriteContext } from '../../api/resource-definition.ts';
import { defineKind, type Rules } from '../define-kind.ts';

type Binding = RoleBinding | ClusterRoleBinding;

const ROLE_REF = new FieldPath('roleRef');
const SUBJECTS = new FieldPath('subjects');
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

function validateRoleRef(ref: RoleRef, kinds: readonly string[], naming: Naming): FieldError[] {
  const group = naming.group('rbac.authorization');
  return [
    ...(ref.apiGroup === group ? [] : [notSupported(ROLE_REF.child('apiGroup'), ref.apiGroup, [group])]),
    ...(kinds.includes(ref.kind) ? [] : [notSupported(ROLE_REF.child('kind'), ref.kind, kinds)]),
    ...(ref.name === ''
      ? declared([required(ROLE_REF.child('name'))], 37)
      : validateText(ref.name, pathSegmentName, ROLE_REF.child('name'))),
  ];
}

function validateSubject(subject: Subject, namespaced: boolean, naming: Naming, path: FieldPath): FieldError[] {
  const { kind, name, apiGroup = '', namespace = '' } = subject;
  const errors = declared(validateRequired(name, path.child('name')), 37);
  if (!SUBJECT_KINDS.includes(kind)) return [...errors, notSupported(path.child('kind'), kind, SUBJECT_KINDS)];
  const isAccount = kind === 'ServiceAccount';
  if (isAccount && name !== '') append(errors, validateText(name, dns1123Subdomain, path.child('name')));
  const group = isAccount ? '' : naming.group('rbac.authorization');
  if (apiGroup !== group) errors.push(notSupported(path.child('apiGroup'), apiGroup, [group]));
  if (isAccount && !namespaced && namespace === '') errors.push(required(path.child('namespace')));
  return errors;
}

function cells({ metadata, roleRef, subjects }: Binding, { now }: { now: number }): Cell[] {
  const namesOf = (kind: string) =>
    (subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace = '' }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
      .join(', ');
  return [
    metadata.name ?? '',
    `${roleRef.kind}/${roleRef.name}`,
    age(metadata.creationTimestamp, now),
    namesOf('User'),
    namesOf('Group'),
    namesOf('ServiceAccount'),
  ];
}

/** The rules of a kind of binding. Its role reference never changes. Updates report every error twice. */
function bindingRules<T extends Binding>(namespaced: boolean, roleKinds: readonly string[]) {
  const validate = ({ roleRef, subjects }: T, { naming }: WriteContext): FieldError[] => [
    ...validateRoleRef(roleRef, roleKinds, naming),
    ...(subjects ?? []).flatMap((subject, i) => validateSubject(subject, namespaced, naming, SUBJECTS.index(i))),
  ];
  const again = (object: T, context: WriteContext): FieldError[] => [
    ...validateKindMetadata(object, { namespaced, validateName: roleName }, context.naming),
    ...validate(object, context),
  ];
  return {
    versions: bindingVersions,
    validateName: roleName,
    validate,
    validateUpdate: (object, old, context) => [
      ...again(object, context),
      ...again(object, context),
      ...(semanticallyEqual(object.roleRef, old.roleRef)
        ? []
        : [invalidValue(ROLE_REF, object.roleRef, 'cannot change roleRef')]),
    ],
    cells,
  } satisfies Rules<T>;
}

/** The kind of bindings that give subjects the rights of a role in the binding's namespace. */
export const roleBinding = defineKind(
  'rbac.authorization/rolebindings',
  bindingRules<RoleBinding>(true, ['Role', 'ClusterRole']),
);

/** The kind of bindings that give subjects the rights of a cluster role in the whole cluster. */
export const clusterRoleBinding = defineKind(
  'rbac.authorization/clusterrolebindings',
  bindingRules<ClusterRoleBinding>(false, ['ClusterRole']),
);
