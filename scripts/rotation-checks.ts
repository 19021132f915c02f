import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Authority } from './authorities.ts';
import { ensureCertificates } from './certificates.ts';

/** A part of a deployment, and its address for probes. */
export interface Place {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Whom the checks of a rotation ask. */
export interface Places {
  readonly replicas: readonly Place[];
  /** Members of etcd, at the port for clients; the port for peers is the next one. */
  readonly members: readonly Place[];
}

/** How long something may take to take up new files, in seconds. */
const TAKEN_UP_WITHIN = 60;

/** The certificate that a probe shows, and the authorities that it trusts. PEM texts. */
interface Probe {
  readonly cert?: string;
  readonly key?: string;
  /** The authority that must have signed the certificate shown to the probe; undefined: any. */
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Resolves when every part trusts certificates of the next authority. Rejects with the name of one that does not. */
export async function checkTrusted(directory: string, authority: Authority, places: Places): Promise<void> {
  const probe = credentials(directory, authority, 'next');
  await eventually(everyAcceptance(authority, probe, places, true), `trusts the next ${authority.name}`);
}

/** Resolves when everything that shows a certificate shows one of the authority that now signs. */
export async function checkSigned(directory: string, authority: Authority, places: Places): Promise<void> {
  const ca = readFileSync(path.join(directory, `${authority.place('current')}.crt`), 'utf8');
  const admin = (name: string) => readFileSync(path.join(directory, 'admin', name), 'utf8');
  if (authority.name === 'ca') {
    const shows = (place: Place) => answers(place, '/readyz', { ca });
    await eventually(
      places.replicas.map((place) => [place.name, () => shows(place)]),
      'shows a new certificate',
    );
  } else if (authority.name === 'etcd-ca') {
    const probe = { ca, cert: admin('etcd-client.crt'), key: admin('etcd-client.key') };
    const asked = places.members.flatMap((place) => ports(place).map((one) => ({ one, name: one.name })));
    await eventually(
      asked.map(({ one, name }) => [name, () => answers(one, '/version', probe)]),
      'shows a new certificate',
    );
  }
}

/** Resolves when nothing trusts what the former authority signed. */
export async function checkForgotten(directory: string, authority: Authority, places: Places): Promise<void> {
  const probe = credentials(directory, authority, 'void');
  await eventually(everyAcceptance(authority, probe, places, false), `trusts the former ${authority.name} no more`);
}

type Check = readonly [name: string, holds: () => Promise<boolean>];

/** Whether each server that judges clients by the authority accepts a probe, or refuses it. */
function everyAcceptance({ name }: Authority, probe: Probe, { replicas, members }: Places, wanted: boolean): Check[] {
  const target = name === 'etcd-ca' ? '/version' : '/api/v1/namespaces/default';
  const asked = name === 'etcd-ca' ? members.flatMap(ports) : replicas;
  return asked.map((place) => [place.name, async () => (await answers(place, target, probe)) === wanted]);
}

/** A member at its port for clients, and at the one for its peers. */
function ports(member: Place): Place[] {
  return [member, { name: `${member.name} (towards its peers)`, host: member.host, port: member.port + 1 }];
}

/** A short-lived administrator's certificate of an authority, which `which` says. */
function credentials(directory: string, authority: Authority, which: 'next' | 'void'): Probe {
  const made = mkdtempSync(path.join(tmpdir(), 'rotation-'));
  try {
    const probe = path.relative(directory, path.join(made, 'probe'));
    const front = authority.name === 'front-ca';
    ensureCertificates(directory, [
      {
        name: probe,
        subject: front ? '/CN=front-proxy' : '/O=system:masters/CN=rotation',
        issuer: `authorities/${authority.name}.${which}`,
        usage: ['clientAuth'],
        days: 1,
      },
    ]);
    const [cert, key] = ['crt', 'key'].map((ending) =>
      readFileSync(path.join(directory, `${probe}.${ending}`), 'utf8'),
    );
    const headers = front ? { 'X-Remote-User': 'rotation', 'X-Remote-Group': 'system:masters' } : {};
    return { cert: cert!, key: key!, headers };
  } finally {
    rmSync(made, { recursive: true });
  }
}

/**
 * Whether the answer to a request is 200. False if the connection fails, for example because of a refused certificate.
 */
function answers({ host, port }: Place, target: string, { cert, key, ca, headers = {} }: Probe): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(
      {
        ...{ host, port, path: target, headers, timeout: 3_000, agent: false },
        ...(cert === undefined ? {} : { cert, key }),
        // the address identifies the part; only the signing authority matters
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca, checkServerIdentity: () => undefined }),
      },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

async function eventually(checks: readonly Check[], what: string): Promise<void> {
  const end = Date.now() + TAKEN_UP_WITHIN * 1000;
  for (;;) {
    const failing: string[] = [];
    for (const [name, holds] of checks) if (!(await holds())) failing.push(name);
    if (failing.length === 0) return;
    if (Date.now() > end)
      throw new Error(`After ${TAKEN_UP_WITHIN} s this does not hold (it ${what}): ${failing.join(', ')}.`);
    await sleep(300);
  }
}
