/** A name of a type or a kind with the group behind it: `deployments.apps`; those of the core group have none. */
export function inGroup(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}
