import type { Naming } from '../server/naming/naming.ts';
import type { Pki } from './pki.ts';

export interface ReplicaPlace {
  readonly etcdServers: string;
  readonly port: number;
  readonly address?: string;
}

/**
 * Flags of Node itself. Half of the young generation that Node would take: a tenth less processor time than with more or
 * less (it stays in the processor's cache, and what dies young is not promoted), and no more memory than with less.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * What tells the system's allocator (glibc's) to give back what is free: one heap for all threads instead of two for each
 * processor, and large pieces of their own whatever was freed before. A replica then holds an eighth to a quarter less,
 * for the same processor time or a tenth less.
 */
export const nodeEnvironment = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** The flags of an API server that uses a PKI folder. */
export function replicaFlags(
  naming: Naming,
  pki: Pki,
  { etcdServers, port, address = '127.0.0.1' }: ReplicaPlace,
): string[] {
  return [
    `--naming=${naming.profile}`,
    `--etcd-servers=${etcdServers}`,
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    `--secure-port=${port}`,
    `--tls-cert-file=${pki.file('server.crt')}`,
    `--tls-private-key-file=${pki.file('server.key')}`,
    `--client-ca-file=${pki.file('ca.crt')}`,
    `--token-auth-file=${pki.file('tokens.csv')}`,
    '--enable-bootstrap-token-auth',
    `--service-account-issuer=https://${naming.product}.default.svc`,
    `--service-account-key-file=${pki.file('sa.pub')}`,
    `--service-account-signing-key-file=${pki.file('sa.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--authorization-mode=Node,RBAC',
    `--requestheader-client-ca-file=${pki.file('front-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--allow-privileged=true',
  ];
}
