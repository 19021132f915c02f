/** Access modes by their short names, in the order in which they are shown. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

/** The short names of access modes without duplicates, such as `RWO,ROX`. */
export function accessModesText(modes: readonly string[] | null | undefined): string {
  return [...shortNames].flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : [])).join(',');
}
