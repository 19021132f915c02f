/**
 * The form of a group in operation ids. `rbac.authorization` becomes `RbacAuthorization`, and the core group becomes
 * `Core`.
 */
export function groupTitle(group: string): string {
  return group === '' ? 'Core' : group.split('.').map(upperFirst).join('');
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
