import { X509Certificate } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming, NamingProfile } from '#base/naming/naming.ts';
import { usualRelease } from '#base/release/usual-release.ts';
import { formatConnection } from '#program/connection/write-connection-file.ts';
import { Authority, type AuthorityName } from './authorities.ts';
import { type Certificate, ensureCertificates } from './certificates.ts';
import { ensureServiceAccountKeys } from './pki.ts';

/** The deployment that certificates are for. */
export interface Deployment {
  readonly naming: Naming;
  /** Names or addresses of the etcd members, as they and the replicas call them. */
  readonly members: readonly string[];
  /** Names or addresses under which clients, the load balancer and workloads reach the replicas. */
  readonly serverNames: readonly string[];
  /** The address for clients: `https://127.0.0.1:6443`. */
  readonly url: string;
  /** User and group that the services run as; their files are given to them. Undefined: the files stay ours. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/** The created and changed files, by name in the folder. */
export interface Made {
  readonly certificates: readonly string[];
  /** Connection files, and copies of authorities and keys. */
  readonly files: readonly string[];
}

const AUTHORITY_DAYS = 3650;
const DAYS = 365;
/** The file with the folder's purpose. */
const DEPLOYMENT_FILE = 'authorities/deployment.json';
/** Certificates that end within these days are made again. */
const RENEW_DAYS = 30;

function alternativeName(name: string): string {
  return /^[\d.]+$/.test(name) || name.includes(':') ? `IP:${name}` : `DNS:${name}`;
}

/**
 * Creates all certificates and keys of a deployment. Each machine or container gets a folder with only the files that
 * it needs. `authorities/` holds the authorities, whose keys must be stored in a safe place. A second call renews
 * certificates that end soon and adds new names.
 */
export function makeDeploymentPki(directory: string, deployment: Deployment): Made {
  const { naming, members, owner } = deployment;
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const authority = (name: AuthorityName): Certificate => ({
    name: `authorities/${name}`,
    subject: subjectOf(path.join(directory, `authorities/${name}.crt`)) ?? `/CN=${name}`,
    days: AUTHORITY_DAYS,
  });
  const users = [...members, 'apiserver', 'controller-manager', 'scheduler', 'haproxy', 'prometheus'];
  const prepare = (file: string, name: string) => {
    if (owner !== undefined && users.includes(path.dirname(name))) chownSync(file, owner.uid, owner.gid);
  };
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
      authority('signing-ca'),
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
      signed('scheduler/scheduler', 'ca', `/CN=system:${naming.prefixed('scheduler')}`, client),
      signed('prometheus/prometheus', 'ca', '/O=system:monitoring/CN=prometheus', client),
      signed('admin/admin', 'ca', '/O=system:masters/CN=admin', client),
      signed('admin/etcd-client', 'etcd-ca', '/CN=admin', client),
    ],
    { renewDays: RENEW_DAYS, prepare },
  );
  const written: string[] = [];
  const put = (name: string, text: string) => {
    const file = path.join(directory, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, text, { mode: name.endsWith('.crt') ? 0o644 : 0o600 });
    prepare(`${file}.new`, name);
    renameSync(`${file}.new`, file);
    written.push(name);
  };
  const read = (name: string) => readFileSync(path.join(directory, name), 'utf8');
  const trust = (service: string, ...names: AuthorityName[]) => {
    for (const name of names) put(`${service}/${name}.crt`, new Authority(directory, name).bundle);
  };
  for (const member of members) trust(member, 'etcd-ca');
  trust('apiserver', 'ca', 'etcd-ca', 'front-ca', 'signing-ca');
  // The authorities of client certificates for replicas: that of the deployment, and that of signed requests.
  put('apiserver/client-ca.crt', ['ca', 'signing-ca'].map((name) => read(`apiserver/${name}.crt`)).join(''));
  ensureServiceAccountKeys(path.join(directory, 'apiserver'));
  trust('controller-manager', 'ca');
  put('controller-manager/sa.key', read('apiserver/sa.key'));
  const signer = new Authority(directory, 'signing-ca').place('current');
  for (const ending of ['crt', 'key']) put(`controller-manager/signer.${ending}`, read(`${signer}.${ending}`));
  trust('scheduler', 'ca');
  trust('haproxy', 'ca');
  trust('prometheus', 'ca');
  trust('admin', 'ca', 'etcd-ca');
  for (const user of ['admin', 'controller-manager', 'scheduler']) {
    const connection = {
      server: deployment.url,
      ca: read(`${user}/ca.crt`),
      clientCertificate: read(`${user}/${user}.crt`),
      clientKey: read(`${user}/${user}.key`),
    };
    put(`${user}/connection.conf`, formatConnection(naming.product, connection));
  }
  if (owner !== undefined) for (const service of users) giveTo(path.join(directory, service), owner);
  put(DEPLOYMENT_FILE, `${JSON.stringify({ ...deployment, naming: naming.profile }, undefined, 2)}\n`);
  return { certificates: made, files: written };
}

/** The purpose of the folder at its last update. @throws Error if it was never created */
export function readDeployment(directory: string): Deployment {
  const file = path.join(directory, DEPLOYMENT_FILE);
  if (!existsSync(file)) throw new Error(`${file} is missing: run make certificates first.`);
  const { naming, ...deployment } = JSON.parse(readFileSync(file, 'utf8')) as Omit<Deployment, 'naming'> & {
    readonly naming: NamingProfile;
  };
  return { ...deployment, naming: createNaming(naming) };
}

/**
 * Makes connection files use the port of the load balancer, if a setting of compose.yaml changes it. Returns the
 * changed files, by name in the folder.
 * @param port the setting; undefined leaves files unchanged
 */
export function followSettings(directory: string, port: string | undefined): readonly string[] {
  const deployment = readDeployment(directory);
  const url = portOf(deployment.url, port);
  return url === deployment.url ? [] : makeDeploymentPki(directory, { ...deployment, url }).files;
}

/** An address with another port, if one is given. */
export function portOf(url: string, port: string | undefined): string {
  if (!port) return url;
  const moved = new URL(url);
  moved.port = port;
  return moved.origin;
}

/** The subject of a certificate as OpenSSL prints it; undefined if there is none. */
function subjectOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  return `/${new X509Certificate(readFileSync(file)).subject.replaceAll('\n', '/')}`;
}

function giveTo(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  chownSync(folder, uid, gid);
  for (const name of readdirSync(folder)) chownSync(path.join(folder, name), uid, gid);
}

/**
 * Writes the open values of compose.yaml into its settings file: the user of the containers, and the naming. Other
 * lines stay unchanged. Returns whether the file has changed.
 */
export function writeComposeSettings(file: string, { naming, owner }: Deployment): boolean {
  const [uid, gid] = owner === undefined ? [process.getuid?.() ?? 0, process.getgid?.() ?? 0] : [owner.uid, owner.gid];
  const own: Readonly<Record<string, string>> = {
    RUN_AS: `${uid}:${gid}`,
    NAMING: naming.profile,
    SERVICE_ACCOUNT_ISSUER: `https://${naming.product}.default.svc`,
  };
  const first = { EMULATED_VERSION: usualRelease(naming).name };
  const heading = '# Settings of compose.yaml. make certificates writes the next lines; those of your own stay.';
  const isNew = !existsSync(file);
  const kept = isNew ? [] : readFileSync(file, 'utf8').split('\n');
  const others = kept.filter((line) => line !== heading && !Object.hasOwn(own, line.split('=')[0] ?? ''));
  // In an existing deployment, the operator decides which release the server serves.
  const settings = Object.entries({ ...own, ...(isNew && first) }).map(([name, value]) => `${name}=${value}`);
  const lines = [heading, ...settings, ...others];
  const text = `${lines.join('\n').trimEnd()}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false;
  writeFileSync(file, text);
  return true;
}
