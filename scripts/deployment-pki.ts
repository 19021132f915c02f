import { chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeConnectionFile } from '../server/connection/connection-file.ts';
import type { Naming } from '../server/naming/naming.ts';
import { type Certificate, ensureCertificates } from './certificates.ts';
import { ensureServiceAccountKeys } from './pki.ts';

/** The deployment that certificates are for. */
export interface Deployment {
  readonly naming: Naming;
  /** Names or addresses of the etcd members, as they and the replicas call them. */
  readonly members: readonly string[];
  /** Names or addresses under which clients, the load balancer and workloads reach the replicas. */
  readonly serverNames: readonly string[];
  /** What clients connect to: `https://127.0.0.1:6443`. */
  readonly url: string;
  /** User and group that the services run as; their files are given to them. Undefined: the files stay ours. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

const AUTHORITY_DAYS = 3650;
const DAYS = 365;
/** Certificates that end within these days are made anew. */
const RENEW_DAYS = 30;

function alternativeName(name: string): string {
  return /^[\d.]+$/.test(name) || name.includes(':') ? `IP:${name}` : `DNS:${name}`;
}

/**
 * Makes everything that the parts of a deployment prove themselves and know each other by, one folder for each machine
 * or container with no more in it than it needs, and `authorities/`, whose keys belong in a safe place. A second call
 * renews what ends soon and adds what new names need. Returns the certificates that were made.
 */
export function makeDeploymentPki(directory: string, deployment: Deployment): string[] {
  const { naming, members, owner } = deployment;
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const authority = (name: string): Certificate => ({
    name: `authorities/${name}`,
    subject: `/CN=${name}`,
    days: AUTHORITY_DAYS,
  });
  const signed = (name: string, issuer: string, subject: string, more: Partial<Certificate>): Certificate => ({
    name,
    subject,
    issuer: `authorities/${issuer}`,
    days: DAYS,
    ...more,
  });
  const client = { usage: ['clientAuth'] } as const;
  const both = { usage: ['serverAuth', 'clientAuth'] } as const;
  const local = ['IP:127.0.0.1', 'DNS:localhost'];
  const serverNames = [
    ...new Set([...local, ...deployment.serverNames.map(alternativeName), `DNS:${naming.product}.default.svc`]),
  ];
  const made = ensureCertificates(
    directory,
    [
      authority('ca'),
      authority('etcd-ca'),
      authority('front-ca'),
      ...members.flatMap((member) => {
        const names = [...new Set([alternativeName(member), ...local])];
        return [
          signed(`${member}/server`, 'etcd-ca', `/CN=${member}`, { ...both, names }),
          signed(`${member}/peer`, 'etcd-ca', `/CN=${member}`, { ...both, names }),
        ];
      }),
      signed('apiserver/server', 'ca', '/CN=apiserver', { usage: ['serverAuth'], names: serverNames }),
      signed('apiserver/etcd-client', 'etcd-ca', '/CN=apiserver', client),
      signed(
        'controller-manager/controller-manager',
        'ca',
        `/CN=system:${naming.prefixed('controller-manager')}`,
        client,
      ),
      signed('prometheus/prometheus', 'ca', '/O=system:monitoring/CN=prometheus', client),
      signed('admin/admin', 'ca', '/O=system:masters/CN=admin', client),
      signed('admin/etcd-client', 'etcd-ca', '/CN=admin', client),
    ],
    RENEW_DAYS,
  );
  const give = (service: string, ...names: string[]) => {
    mkdirSync(path.join(directory, service), { recursive: true, mode: 0o700 });
    for (const name of names)
      copyFileSync(path.join(directory, name), path.join(directory, service, path.basename(name)));
  };
  const [ca, etcdCa] = ['authorities/ca.crt', 'authorities/etcd-ca.crt'];
  for (const member of members) give(member, etcdCa);
  give('apiserver', ca, etcdCa, 'authorities/front-ca.crt');
  ensureServiceAccountKeys(path.join(directory, 'apiserver'));
  give('controller-manager', ca, 'apiserver/sa.key');
  give('haproxy', ca);
  give('prometheus', ca);
  give('admin', ca, etcdCa);
  for (const user of ['admin', 'controller-manager']) {
    const read = (name: string) => readFileSync(path.join(directory, user, name), 'utf8');
    writeConnectionFile(path.join(directory, user, 'connection.conf'), naming.product, {
      server: deployment.url,
      ca: read('ca.crt'),
      clientCertificate: read(`${user}.crt`),
      clientKey: read(`${user}.key`),
    });
  }
  if (owner !== undefined)
    for (const service of [...members, 'apiserver', 'controller-manager', 'haproxy', 'prometheus'])
      giveTo(path.join(directory, service), owner);
  return made;
}

function giveTo(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  chownSync(folder, uid, gid);
  for (const name of readdirSync(folder)) chownSync(path.join(folder, name), uid, gid);
}

/** Writes what compose.yaml leaves open: who the containers run as, and the words of the interface. */
export function writeComposeSettings(file: string, { naming, owner }: Deployment): void {
  const [uid, gid] = owner === undefined ? [process.getuid?.() ?? 0, process.getgid?.() ?? 0] : [owner.uid, owner.gid];
  const lines = [
    '# Made by make-certificates; compose reads it. Lines of your own are kept in compose.override.yaml, not here.',
    `RUN_AS=${uid}:${gid}`,
    `NAMING=${naming.profile}`,
    `SERVICE_ACCOUNT_ISSUER=https://${naming.product}.default.svc`,
    '',
  ];
  writeFileSync(file, lines.join('\n'));
}
