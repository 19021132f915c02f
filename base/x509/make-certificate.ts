import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import forge from 'node-forge';
import { bits, context, extension, integer, moment, oid, primitive, sequence } from './der.ts';

const { asn1 } = forge;
const { Class, Type } = asn1;

/** A certificate with its key, which can sign other certificates. */
export interface MadeCertificate {
  readonly der: Buffer;
  readonly pem: string;
  readonly keyPem: string;
  readonly key: KeyObject;
  readonly subject: readonly (readonly [string, string])[];
}

export interface CertificateWish {
  /** Object identifiers and texts, in order. */
  readonly subject: readonly (readonly [type: string, value: string])[];
  /** The authority that signs the certificate. Undefined means that it signs itself. */
  readonly by?: MadeCertificate;
  /** The key, of any type. Undefined means a new key of P-256. */
  readonly key?: KeyObject;
  readonly ca?: boolean;
  readonly pathLength?: number;
  /** Extended key usages. */
  readonly usages?: readonly string[];
  /** Bits of the key usage, as one byte. */
  readonly keyUsage?: number;
  readonly hosts?: readonly string[];
  readonly ips?: readonly string[];
  /** Days from now. */
  readonly from?: number;
  readonly to?: number;
  /** Object identifiers of critical extensions. Their value is null. */
  readonly criticalExtensions?: readonly string[];
}

export const CN = '2.5.4.3';
export const O = '2.5.4.10';
export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

const DAY = 86_400_000;
const ECDSA_SHA256 = '1.2.840.10045.4.3.2';
const RSA_SHA256 = '1.2.840.113549.1.1.11';

/** Makes a certificate. */
export function makeCertificate(wish: CertificateWish): MadeCertificate {
  const { by, key: privateKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey } = wish;
  const signer = by?.key ?? privateKey;
  const algorithm =
    signer.asymmetricKeyType === 'rsa'
      ? sequence(oid(RSA_SHA256), primitive(Type.NULL, ''))
      : sequence(oid(ECDSA_SHA256));
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const body = sequence(
    context(0, integer('\x02')),
    integer(`\x01${randomBytes(8).toString('latin1')}`),
    algorithm,
    name(by?.subject ?? wish.subject),
    sequence(moment(Date.now() + (wish.from ?? -1) * DAY), moment(Date.now() + (wish.to ?? 30) * DAY)),
    name(wish.subject),
    asn1.fromDer(publicKey.toString('latin1')),
    context(3, sequence(...extensions(wish))),
  );
  const signed = Buffer.from(asn1.toDer(body).getBytes(), 'latin1');
  const signature = sign('sha256', signed, signer);
  const der = Buffer.from(
    asn1.toDer(sequence(body, algorithm, bits(`\0${signature.toString('latin1')}`))).getBytes(),
    'latin1',
  );
  return {
    der,
    pem: new X509Certificate(der).toString(),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    key: privateKey,
    subject: wish.subject,
  };
}

/** A self-signed authority. */
export function makeAuthority(commonName: string): MadeCertificate {
  return makeCertificate({ subject: [[CN, commonName]], ca: true });
}

function extensions(wish: CertificateWish): forge.asn1.Asn1[] {
  const { ca, pathLength, usages, keyUsage, hosts = [], ips = [], criticalExtensions = [] } = wish;
  const found: forge.asn1.Asn1[] = [];
  if (ca !== undefined) {
    const length = pathLength === undefined ? [] : [integer(String.fromCharCode(pathLength))];
    found.push(extension('2.5.29.19', true, sequence(...(ca ? [primitive(Type.BOOLEAN, '\xff'), ...length] : []))));
  }
  if (keyUsage !== undefined) found.push(extension('2.5.29.15', true, bits(`\0${String.fromCharCode(keyUsage)}`)));
  if (usages !== undefined) found.push(extension('2.5.29.37', false, sequence(...usages.map(oid))));
  if (hosts.length + ips.length > 0) {
    const names = hosts.map((host) => asn1.create(Class.CONTEXT_SPECIFIC, 2, false, host));
    const addresses = ips.map((ip) =>
      asn1.create(Class.CONTEXT_SPECIFIC, 7, false, String.fromCharCode(...ipaddr.parse(ip).toByteArray())),
    );
    found.push(extension('2.5.29.17', false, sequence(...names, ...addresses)));
  }
  for (const unknown of criticalExtensions) found.push(extension(unknown, true, primitive(Type.NULL, '')));
  return found;
}

function name(attributes: readonly (readonly [string, string])[]): forge.asn1.Asn1 {
  return sequence(
    ...attributes.map(([type, value]) =>
      asn1.create(Class.UNIVERSAL, Type.SET, true, [
        sequence(oid(type), primitive(Type.UTF8, Buffer.from(value, 'utf8').toString('latin1'))),
      ]),
    ),
  );
}
