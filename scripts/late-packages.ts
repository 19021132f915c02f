import { createRequire } from 'node:module';
import path from 'node:path';
import type { Plugin } from 'esbuild';

const NAMESPACE = 'late';

/**
 * Has packages loaded when something of them is first used, not when the module that imports them is. What a module of
 * the project imports from one is then a getter.
 *
 * @param root of the project
 * @param packages what is imported, as it is written in imports
 * @param apart where the code of a package lies that is not bundled with the others, from the bundle; undefined: with
 * them
 */
export function latePackages(
  root: string,
  packages: readonly string[],
  apart: (name: string) => string | undefined,
): Plugin {
  const { resolve } = createRequire(path.join(root, 'package.json'));
  const require = createRequire(path.join(root, 'package.json'));
  return {
    name: 'late packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z]/ }, ({ path: name, namespace, importer }) => {
        if (!packages.includes(name)) return undefined;
        if (namespace !== NAMESPACE)
          return importer.includes('node_modules') ? undefined : { path: name, namespace: NAMESPACE };
        const place = apart(name);
        return place === undefined ? { path: resolve(name) } : { path: place, external: true };
      });
      onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path: name }) => {
        const getters = Object.keys(require(name) as object)
          .filter((key) => key !== 'default' && key !== '__esModule')
          .map(
            (key) =>
              `get ${JSON.stringify(key)}() { return require(${JSON.stringify(name)})[${JSON.stringify(key)}]; },`,
          );
        return { contents: `module.exports = {\n${getters.join('\n')}\n};`, resolveDir: root };
      });
    },
  };
}
