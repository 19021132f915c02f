import { type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import forge from 'node-forge';
import { table } from '../collections/own-properties.ts';
import { children, readCertificateFields } from './certificate-fields.ts';
import { ALTERNATIVE_NAMES, type AlternativeNameKind, type CertificateRequest } from './certificate-request.ts';
import {
  type Asn1,
  bits,
  context,
  extension,
  integer,
  moment,
  oid,
  parseDer,
  primitive,
  sequence,
  toDer,
} from './der.ts';

const { Class, Type, create } = forge.asn1;

/** A certificate with the key that it signs with. */
export interface Authority {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** The parts of a certificate that the request does not decide. */
export interface Terms {
  /**
   * The allowed uses of the key, in the words of {@link KEY_USAGES} and {@link EXTENDED_USAGES}. Other words are
   * ignored.
   */
  readonly usages: readonly string[];
  /** The time in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Bits of the key usage (RFC 5280, 4.2.1.3) by the words of certificate requests. */
const KEY_USAGES: Readonly<Record<string, number>> = table({
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
});

/** Object identifiers of extended key usages (RFC 5280, 4.2.1.12) by the words of certificate requests. */
const EXTENDED_USAGES: Readonly<Record<string, string>> = table({
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
});

/**
 * The attributes that an issued subject may have, in order: country, organization, unit, locality, province, street,
 * postal code, common name, serial number.
 */
const SUBJECT_ORDER = [6, 10, 11, 7, 8, 9, 17, 3, 5].map((number) => `2.5.4.${number}`);

const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';

/**
 * Issues the certificate that a request asks for. It is never a certificate of an authority.
 *
 * @example issueCertificate(request, authority, { usages: ['client auth'], from: now, to: now + 86_400_000 })
 */
export function issueCertificate(request: CertificateRequest, authority: Authority, terms: Terms): X509Certificate {
  const issuer = children(children(parseDer(authority.certificate.raw))[0]);
  // version [0] is optional; then serial, algorithm, issuer, validity, subject
  const start = issuer[0]?.tagClass === Class.CONTEXT_SPECIFIC ? 1 : 0;
  const { algorithm, digest } = signatureOf(authority.key);
  const body = sequence(
    context(0, integer('\x02')),
    integer(`\x01${randomBytes(16).toString('latin1')}`),
    algorithm,
    issuer[start + 4]!,
    sequence(moment(terms.from), moment(terms.to)),
    subject(request),
    request.publicKey,
    context(3, sequence(...extensions(request, authority, terms.usages))),
  );
  const signature = sign(digest, toDer(body), authority.key);
  return new X509Certificate(toDer(sequence(body, algorithm, bits(`\0${signature.toString('latin1')}`))));
}

/** How a key signs (RFC 4055, 5758, 8410). */
function signatureOf(key: KeyObject): { readonly algorithm: Asn1; readonly digest: string | null } {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { algorithm: sequence(oid('1.2.840.113549.1.1.11'), primitive(Type.NULL, '')), digest: 'sha256' };
    case 'ec': {
      const curve = key.asymmetricKeyDetails?.namedCurve;
      if (curve === 'secp384r1') return { algorithm: sequence(oid('1.2.840.10045.4.3.3')), digest: 'sha384' };
      if (curve === 'secp521r1') return { algorithm: sequence(oid('1.2.840.10045.4.3.4')), digest: 'sha512' };
      return { algorithm: sequence(oid('1.2.840.10045.4.3.2')), digest: 'sha256' };
    }
    case 'ed25519':
      return { algorithm: sequence(oid('1.3.101.112')), digest: null };
    default:
      throw new Error(`certificates cannot be signed with a key of type ${key.asymmetricKeyType}`);
  }
}

/** The subject of a request, with one set for each type that holds all values of this type. */
function subject({ subject: attributes }: CertificateRequest): Asn1 {
  const sets = SUBJECT_ORDER.flatMap((type) => {
    const values = attributes
      .filter((attribute) => attribute.type === type)
      .map(({ value }) => sequence(oid(type), primitive(Type.UTF8, Buffer.from(value, 'utf8').toString('latin1'))))
      .sort((a, b) => toDer(a).compare(toDer(b)));
    return values.length === 0 ? [] : [create(Class.UNIVERSAL, Type.SET, true, values)];
  });
  return sequence(...sets);
}

function extensions(
  { names, subject: attributes }: CertificateRequest,
  authority: Authority,
  usages: readonly string[],
) {
  const found: Asn1[] = [];
  const keyUsage = keyUsageBits(usages.flatMap((usage) => KEY_USAGES[usage] ?? []));
  if (keyUsage !== undefined) found.push(extension('2.5.29.15', true, bits(keyUsage)));
  const extended = new Set(usages.flatMap((usage) => EXTENDED_USAGES[usage] ?? []));
  if (extended.size > 0) found.push(extension('2.5.29.37', false, sequence(...[...extended].map(oid))));
  found.push(extension('2.5.29.19', true, sequence()));
  const identifier = readCertificateFields(authority.certificate.raw).extensions.get(SUBJECT_KEY_IDENTIFIER);
  if (identifier !== undefined) {
    const value = parseDer(identifier.value).value as string;
    found.push(extension('2.5.29.35', false, sequence(create(Class.CONTEXT_SPECIFIC, 0, false, value))));
  }
  if (names.length > 0) {
    const kinds = Object.keys(ALTERNATIVE_NAMES) as AlternativeNameKind[];
    const sorted = kinds.flatMap((kind) => names.filter((name) => name.kind === kind));
    const general = sorted.map((name) =>
      create(Class.CONTEXT_SPECIFIC, ALTERNATIVE_NAMES[name.kind] as forge.asn1.Type, false, name.bytes),
    );
    // RFC 5280, 4.2.1.6: critical if the subject is empty
    found.push(
      extension('2.5.29.17', !attributes.some(({ type }) => SUBJECT_ORDER.includes(type)), sequence(...general)),
    );
  }
  return found;
}

/** The content of a bit string without trailing zeros. */
function keyUsageBits(set: readonly number[]): string | undefined {
  if (set.length === 0) return undefined;
  const last = Math.max(...set);
  const content = Buffer.alloc((last >> 3) + 1);
  for (const bit of set) content[bit >> 3]! |= 0x80 >> (bit & 7);
  return `${String.fromCharCode(7 - (last & 7))}${content.toString('latin1')}`;
}
