/** The key of a storage identity: `core/pods`. */
export function storageId(group: string, plural: string): string {
  return `${group === '' ? 'core' : group}/${plural}`;
}
