import path from 'node:path';

/** Specifiers of modules in a declaration, with the words before them. */
const SPECIFIER = /(\bfrom\s+|\bimport\s*\(\s*|^import\s+)'((?:\.{1,2}\/|#)[^']+)'/gm;

/**
 * Declarations and all their imports, with specifiers that work inside a package. Names of this project (`#base/…`)
 * become paths. `.ts` becomes `.js`, because a compiler looks for declarations beside such a file.
 *
 * @param doors files of declarations to begin with, from the folder in which all of them are
 * @param read the text of such a file
 * @returns texts by file. No path in them leads out of the folder
 * @throws Error if a declaration imports from outside
 * @example collectDeclarations(['client/index.d.ts'], read).get('client/index.d.ts')
 * // export type { Naming } from '../base/naming/naming.js';
 */
export function collectDeclarations(
  doors: readonly string[],
  read: (file: string) => string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting = [...doors];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const folder = path.posix.dirname(file);
    const text = read(file).replace(SPECIFIER, (_, before: string, specifier: string) => {
      const target = specifier.startsWith('#') ? specifier.slice(1) : path.posix.join(folder, specifier);
      if (target.startsWith('../')) throw new Error(`${file} leads out of the package: ${specifier}`);
      waiting.push(target.replace(/\.ts$/, '.d.ts'));
      const relative = path.posix.relative(folder, target.replace(/\.ts$/, '.js'));
      return `${before}'${relative.startsWith('.') ? relative : `./${relative}`}'`;
    });
    found.set(file, text);
  }
  return found;
}
