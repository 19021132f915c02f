import type { ClusterRole, Role } from '#schema/generated/rbac.authorization.v1.ts';
import type { Describer } from '../describer.ts';
import { marks } from '../heading.ts';
import { resourceText, singleRules } from './rules.ts';

/** Describes a role. Each resource has one line with its permissions. */
export const describeRole: Describer = (writer, object) => {
  const { metadata, rules } = object as Role | ClusterRole;
  const text = (values: readonly string[]) => `[${values.join(' ')}]`;
  writer.field(0, 'Name', metadata.name ?? '');
  marks(writer, object);
  writer.line(0, 'PolicyRule:');
  writer.table(
    1,
    ['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs'],
    singleRules(rules ?? []).map((rule) => [resourceText(rule), text(rule.paths), text(rule.names), text(rule.verbs)]),
  );
};
