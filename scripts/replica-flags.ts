import type { Naming } from '#base/naming/naming.ts';
import type { Pki } from './pki.ts';

export interface ReplicaPlace {
  /** Addresses of etcd, or another endpoint of a store. */
  readonly etcdServers: string;
  readonly port: number;
  readonly address?: string;
}

/** The flags of an API server that uses a PKI folder. */
export function replicaFlags(
  naming: Naming,
  pki: Pki,
  { etcdServers, port, address = '127.0.0.1' }: ReplicaPlace,
): string[] {
  return [
    `--naming=${naming.profile}`,
    /^https?:|^unixs?:/.test(etcdServers) ? `--etcd-servers=${etcdServers}` : `--datastore-endpoint=${etcdServers}`,
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
