import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findEtcd } from './find-etcd.ts';

/**
 * Makes a container image of this machine's etcd and the libraries it is linked with, without a registry.
 * @param host the Docker daemon
 * @returns the image's name
 */
export function buildEtcdImage(host: string): string {
  const etcd = realpathSync(findEtcd());
  const image = 'etcd-e2e:local';
  const root = mkdtempSync(path.join(tmpdir(), 'etcd-image-'));
  try {
    mkdirSync(path.join(root, 'tmp'));
    copy(etcd, path.join(root, 'usr/local/bin/etcd'));
    for (const library of linkedLibraries(etcd)) copy(library, path.join(root, library));
    const tar = execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1 << 30 });
    execFileSync('docker', ['-H', host, 'import', '--change', 'ENTRYPOINT ["/usr/local/bin/etcd"]', '-', image], {
      input: tar,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    return image;
  } finally {
    rmSync(root, { recursive: true });
  }
}

function copy(from: string, to: string): void {
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(realpathSync(from), to);
}

/** Paths of the shared libraries and the loader; none for a static executable. */
function linkedLibraries(file: string): readonly string[] {
  const { stdout, status } = spawnSync('ldd', [file], { encoding: 'utf8' });
  return status === 0 ? [...stdout.matchAll(/(\/\S+)(?= \(0x)/g)].map(([library]) => library) : [];
}
