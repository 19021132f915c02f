import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { findTool, installPackage } from './ensure-tool.ts';

/**
 * The path of an etcd executable: `ETCD`, then PATH, then the one in the container image `ETCD_IMAGE`, then Debian's
 * package.
 * @throws Error that proposes a solution
 */
export function findEtcd(): string {
  const named = process.env['ETCD'];
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`ETCD names ${named}, which does not exist.`);
  }
  const found = findTool('etcd') ?? fromImage() ?? (installPackage('etcd-server') ? findTool('etcd') : undefined);
  if (found) return found;
  throw new Error(
    [
      'etcd is missing. Any one of these helps:',
      '  - install it (on Debian, as root: apt-get install etcd-server), or put a release of etcd 3.4 or newer on PATH',
      '  - ETCD=/path/to/etcd',
      '  - ETCD_IMAGE=<a container image with etcd in it>, with docker at hand',
      '  - for make run: ETCD_SERVERS=http://host:2379 to use one that runs already',
    ].join('\n'),
  );
}

/** Copies etcd out of a container image; its executable is static in all published images. */
function fromImage(): string | undefined {
  const image = process.env['ETCD_IMAGE'];
  const docker = findTool('docker');
  if (!image || !docker) return undefined;
  const target = path.resolve('.run/bin/etcd');
  if (existsSync(target)) return target;
  mkdirSync(path.dirname(target), { recursive: true });
  const container = execFileSync(docker, ['create', image, 'etcd'], { encoding: 'utf8' }).trim();
  try {
    for (const place of ['/usr/local/bin/etcd', '/usr/bin/etcd', '/etcd']) {
      try {
        execFileSync(docker, ['cp', `${container}:${place}`, target], { stdio: 'ignore' });
        chmodSync(target, 0o755);
        return target;
      } catch {}
    }
    throw new Error(`The image ${image} has no etcd in its usual places.`);
  } finally {
    execFileSync(docker, ['rm', container], { stdio: 'ignore' });
  }
}

if (import.meta.main) {
  try {
    console.log(findEtcd());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
