/**
 * The name of a type or a kind, followed by its group, such as `deployments.apps`. Names of the core group have no
 * group.
 */
export function inGroup(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}
