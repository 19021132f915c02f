import type { CatalogKind } from '../protocol/messages.ts';

/** The kinds that one or two letters mean, whatever else begins so: users know them from other consoles. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['p', 'pods'],
  ['d', 'deployments'],
  ['n', 'nodes'],
  ['s', 'services'],
]);

/**
 * The kind that letters typed after `g` mean: one with this name or short name, else the first one whose name begins
 * so. Undefined if there is none.
 */
export function kindOfLetters(kinds: readonly CatalogKind[], letters: string): CatalogKind | undefined {
  return (
    kinds.find(({ plural }) => plural === letters) ??
    kinds.find(({ shortNames }) => shortNames.includes(letters)) ??
    kinds.find(({ plural }) => plural === KNOWN.get(letters)) ??
    kinds.find(({ plural }) => plural.startsWith(letters))
  );
}
