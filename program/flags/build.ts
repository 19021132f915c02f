import { RELEASE } from './release.ts';

/** Set by scripts/bundle.ts; undefined when the sources run directly. */
declare const BUILT_VERSION: string | undefined;
declare const BUILT_COMMIT: string | undefined;

/** The version of the project, and the commit from which this program was built. */
export const BUILD: { readonly version: string; readonly commit: string } = {
  version: typeof BUILT_VERSION === 'string' ? BUILT_VERSION : '0.0.0-source',
  commit: typeof BUILT_COMMIT === 'string' ? BUILT_COMMIT : 'unknown',
};

/**
 * The output of `--version`: the build, and the release of the interface.
 * @example versionLine('orch-apiserver') // 'orch-apiserver 0.2.0, release 1.25.16, commit 1a2b3c4d5e6f'
 */
export function versionLine(program: string): string {
  return `${program} ${BUILD.version}, release ${RELEASE.gitVersion.slice(1)}, commit ${BUILD.commit}`;
}
