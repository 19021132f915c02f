import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

// As a program, this file only builds Helm. `.ci/run` starts it while tests run that need only a part of the
// processors.

/** The release to build if the machine has no Helm. */
const RELEASE = 'v3.22.0';
/**
 * The time limit of the build, in milliseconds. Alone, the build takes three minutes. With tests at the same time, it
 * takes up to fifteen.
 */
const BUILD_MS = 1_200_000;

/**
 * Finds Helm: the program in `HELM`, the one on `PATH`, or one that this function builds from the published module and
 * keeps in `.run/tools`. If it finds none, `why` is the reason.
 */
export function findHelm(): { readonly helm: string } | { readonly why: string } {
  const named = process.env['HELM'];
  if (named !== undefined) return { helm: named };
  if (spawnSync('helm', ['version']).status === 0) return { helm: 'helm' };
  const folder = path.resolve(import.meta.dirname, '../../.run/tools', `helm-${RELEASE}`);
  const helm = path.join(folder, 'helm');
  if (existsSync(helm)) return { helm };
  if (spawnSync('go', ['version']).status !== 0) return { why: 'there is neither Helm nor Go' };
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
  const module = `helm.sh/helm/v3/cmd/helm@${RELEASE}`;
  const { status, stderr } = spawnSync('go', ['install', '-ldflags=-s -w', module], { env, timeout: BUILD_MS });
  if (status === 0) return { helm };
  return { why: `Helm could not be built: ${stderr?.toString().trim().split('\n').at(-1) ?? ''}` };
}

if (import.meta.main) findHelm();
