/**
 * Whether a version is the same as another one or newer. Versions of one server are decimal numbers. They may be larger
 * than the integers that a number of JavaScript holds exactly.
 *
 * @example isNotOlder('100', '99') // true
 */
export function isNotOlder(version: string, than: string): boolean {
  return version.length === than.length ? version >= than : version.length > than.length;
}
