import { createRequire } from 'node:module';
import path from 'node:path';
import type { Plugin } from 'esbuild';

const NAMESPACE = 'late';

/**
 * Loads packages when something of them is first used, and not with the module that imports them. Each name that a
 * module of the project imports from such a package becomes a getter.
 *
 * @param root of the project
 * @param packages the names of packages, as imports spell them
 * @param apart the path from the bundle to the code of packages that are not bundled with the rest; undefined: they are
 *   bundled with it
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
