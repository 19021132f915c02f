import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Invocation } from './command-line.ts';
import { freePort, type Scratch } from './scratch.ts';

/** How long etcd and a replica may take until they are ready. They first read everything. */
export const READY_WITHIN_MS = 300_000;

/** A database consists of sectors. A snapshot has a checksum after them. */
const SECTOR = 512;

/**
 * Restores a snapshot for {@link startScratchEtcd}. Resolves to whether it has a checksum. A snapshot without a
 * checksum is a copy of a member's database. Rejects if the checksum is wrong.
 */
export async function restoreSnapshot(scratch: Scratch, tool: string, file: string): Promise<boolean> {
  const isSnapshot = statSync(file).size % SECTOR !== 0;
  const cluster = ['--name=restored', '--initial-cluster=restored=https://127.0.0.1:2380'];
  const peer = '--initial-advertise-peer-urls=https://127.0.0.1:2380';
  const unchecked = isSnapshot ? [] : ['--skip-hash-check'];
  await scratch.run(
    tool,
    ...['snapshot', 'restore', file, `--data-dir=${scratch.file('etcd')}`, ...cluster, peer, ...unchecked],
  );
  return isSnapshot;
}

/** Starts an etcd on the restored data. Resolves to the settings for a connection to it. */
export async function startScratchEtcd(
  scratch: Scratch,
): Promise<Pick<Invocation, 'servers' | 'caFile' | 'certFile' | 'keyFile'>> {
  const [client, peer] = [await freePort(), await freePort()];
  const endpoint = `https://127.0.0.1:${client}`;
  const { caFile, certFile, keyFile } = scratch;
  const tls = ['', 'peer-'].flatMap((kind) => [
    `--${kind}trusted-ca-file=${caFile}`,
    `--${kind}cert-file=${certFile}`,
    `--${kind}key-file=${keyFile}`,
    `--${kind}client-cert-auth`,
  ]);
  const args = [
    '--name=restored',
    `--data-dir=${scratch.file('etcd')}`,
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=https://127.0.0.1:${peer}`,
    '--log-level=warn',
    '--unsafe-no-fsync',
    ...tls,
  ];
  await scratch.start({ name: 'etcd', command: 'etcd', args }, `${endpoint}/health`, '', READY_WITHIN_MS);
  return { servers: [endpoint], caFile, certFile, keyFile };
}

/**
 * The tool that restores snapshots: etcdutl, or etcdctl in versions before 3.6.
 * @throws ConfigError if neither tool exists, or if etcd is missing
 */
export async function restoreTool(): Promise<string> {
  const attempt = promisify(execFile);
  const works = (command: string, ...args: string[]) =>
    attempt(command, args, { env: { ...process.env, ETCDCTL_API: '3' } }).then(
      () => true,
      () => false,
    );
  const hasEtcd = await works('etcd', '--version');
  for (const tool of ['etcdutl', 'etcdctl'])
    if (hasEtcd && (await works(tool, 'snapshot', 'restore', '--help'))) return tool;
  throw new ConfigError(
    `this needs ${hasEtcd ? 'etcdutl (or the etcdctl of a version before 3.6)' : 'etcd'} on PATH; releases of etcd hold it, of the version that runs in the cluster or newer`,
  );
}
