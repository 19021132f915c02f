import type { ClusterRoleBinding, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import type { Describer } from '../describer.ts';
import { marks } from '../heading.ts';

/** Describes a binding: its role and its subjects. */
export const describeRoleBinding: Describer = (writer, object) => {
  const { metadata, roleRef, subjects } = object as RoleBinding | ClusterRoleBinding;
  writer.field(0, 'Name', metadata.name ?? '');
  marks(writer, object);
  writer.line(0, 'Role:');
  writer.fields(1, { Kind: roleRef.kind, Name: roleRef.name });
  writer.line(0, 'Subjects:');
  const rows = (subjects ?? []).map(({ kind, name, namespace = '' }) => [kind, name, namespace]);
  writer.table(1, ['Kind', 'Name', 'Namespace'], rows);
};
