import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate } from 'node:tls';
import type { Client } from '#client/client.ts';
import { isForbidden } from '#client/errors.ts';
import { admissionregistrationV1, apiregistrationV1, certificatesV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { Expiry } from '../../protocol/control-plane.ts';
import { type AddressedProcesses, ANSWER_MS } from './addressed-processes.ts';

/** The most objects that are read per kind, and the most certificates that are returned. */
const MOST_OBJECTS = 500;
const MOST_EXPIRIES = 500;

export interface Expiries {
  readonly certificates: readonly Expiry[];
  /** The objects that could not be read, with the reasons. */
  readonly missing: readonly string[];
}

/**
 * Certificates and tokens on which the control plane and this user rely, sorted by their end. They come from processes,
 * from the connection, and from objects of the server.
 *
 * @param addresses of the processes, `127.0.0.1:6443`
 */
export async function readExpiries(
  client: Client,
  processes: AddressedProcesses,
  addresses: readonly string[],
): Promise<Expiries> {
  const missing: string[] = [];
  const parts = await Promise.all([
    ...addresses.map((address) => shown(processes, address)),
    ofConnection(processes),
    ...KEPT.map(async ([type, read]) => {
      try {
        const { items } = await client.resource<object & { metadata: { name?: string } }>(type as ResourceType).list({
          limit: MOST_OBJECTS,
          timeoutMs: ANSWER_MS,
        });
        return items.flatMap((item) => read(item, `${type.plural}/${item.metadata.name}`));
      } catch (error) {
        missing.push(`${type.plural}: ${isForbidden(error) ? 'you may not list them' : String(error)}`);
        return [];
      }
    }),
  ]);
  const certificates = parts.flat().sort((a, b) => a.ends - b.ends);
  return { certificates: certificates.slice(0, MOST_EXPIRIES), missing };
}

/** Types of objects with certificates, and functions that read these. */
const KEPT: readonly [type: ResourceType, read: (item: object, where: string) => readonly Expiry[]][] = [
  [certificatesV1.certificatesigningrequests as ResourceType, issued],
  [admissionregistrationV1.validatingwebhookconfigurations as ResourceType, bundles],
  [admissionregistrationV1.mutatingwebhookconfigurations as ResourceType, bundles],
  [apiregistrationV1.apiservices as ResourceType, bundles],
];

async function shown(processes: AddressedProcesses, address: string): Promise<readonly Expiry[]> {
  try {
    const { certificates, problem } = await processes.chainOf(address);
    return certificates.map((one, at) => ({
      where: at === 0 ? `${address} shows` : `${address} shows, above its own`,
      subject: nameOf(one.subject),
      issuer: nameOf(one.issuer),
      ends: Date.parse(one.valid_to) || 0,
      problem: at === 0 ? problem : '',
    }));
  } catch {
    // The page shows elsewhere that this process does not answer.
    return [];
  }
}

function nameOf(name: DetailedPeerCertificate['subject'] | undefined): string {
  return Object.entries(name ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

async function ofConnection(processes: AddressedProcesses): Promise<readonly Expiry[]> {
  const { tls, headers } = await processes.identity();
  const authorization = String(headers['authorization'] ?? '');
  return [
    ...ofPem(tls.cert, 'your client certificate'),
    ...ofPem(tls.ca, 'authority that your connection believes'),
    ...ofToken(/^Bearer (.*)$/.exec(authorization)?.[1] ?? ''),
  ];
}

/** The certificates of a text, each with its end. */
export function ofPem(pem: string | Buffer | undefined, where: string): readonly Expiry[] {
  const blocks = String(pem ?? '').match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => {
    try {
      const { subject, issuer, validTo } = new X509Certificate(block);
      const line = (name: string) => name.split('\n').join(', ');
      return { where, subject: line(subject), issuer: line(issuer), ends: Date.parse(validTo), problem: '' };
    } catch {
      return { where, subject: '', issuer: '', ends: 0, problem: 'it cannot be read' };
    }
  });
}

/** The end of a token, if the token contains it. */
export function ofToken(token: string): readonly Expiry[] {
  try {
    const {
      exp,
      sub = '',
      iss = '',
    } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      exp?: unknown;
      sub?: unknown;
      iss?: unknown;
    };
    if (typeof exp !== 'number') return [];
    return [{ where: 'your token', subject: String(sub), issuer: String(iss), ends: exp * 1000, problem: '' }];
  } catch {
    return [];
  }
}

/** The certificate of a signing request. */
function issued(item: object, where: string): readonly Expiry[] {
  const { status } = item as { status?: { certificate?: string } };
  return ofPem(Buffer.from(status?.certificate ?? '', 'base64'), where);
}

/** All bundles of authorities of an object, at any depth. */
function bundles(item: object, where: string): readonly Expiry[] {
  return Object.entries(item).flatMap(([key, value]): readonly Expiry[] => {
    if (key === 'caBundle' && typeof value === 'string') return ofPem(Buffer.from(value, 'base64'), where);
    return typeof value === 'object' && value !== null ? bundles(value, where) : [];
  });
}
