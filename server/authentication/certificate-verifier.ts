import { X509Certificate } from 'node:crypto';
import {
  type CertificateFields,
  hasKeyUsage,
  readBasicConstraints,
  readCertificateFields,
} from '../x509/certificate-fields.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const NAME_CONSTRAINTS = '2.5.29.30';
const ALTERNATIVE_NAME = '2.5.29.17';
const SIGN_CERTIFICATES = 5;

/** Extensions that are obeyed here, or that need no obeying for the name of a client. */
const understood: ReadonlySet<string> = new Set([
  BASIC_CONSTRAINTS,
  KEY_USAGE,
  NAME_CONSTRAINTS,
  ALTERNATIVE_NAME,
  '2.5.29.37',
  '2.5.29.32',
]);

/** More certificates than this are not looked at. */
const MAX_CHAIN = 8;

interface Known {
  readonly certificate: X509Certificate;
  readonly fields: CertificateFields;
}

/** A client certificate that an authority vouches for. */
export interface VerifiedCertificate {
  readonly fields: CertificateFields;
  /** The time within which all certificates on the way to the authority are valid, in milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The certificates of a PEM text. Throws an Error when it holds none or a broken one. */
export function readAuthorities(pem: Buffer | string): readonly X509Certificate[] {
  const blocks = pem.toString().match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('it holds no certificate');
  return blocks.map((block) => new X509Certificate(block));
}

/**
 * Verifies a chain as a client's: signed up to one of the authorities, meant for clients (or for anything).
 * The caller compares the times. Throws an Error that says what is wrong.
 */
export function verifyChain(chain: readonly Buffer[], authorities: readonly X509Certificate[]): VerifiedCertificate {
  const [leaf, ...intermediates] = chain.slice(0, MAX_CHAIN).map(readKnown);
  if (leaf === undefined) throw new Error('there is no certificate');
  const roots = authorities.map((certificate) => ({ certificate, fields: readCertificateFields(certificate.raw) }));
  const path = findPath(leaf, [leaf], intermediates, roots);
  if (path === undefined) throw new Error('certificate signed by unknown authority');
  const times = path.map(({ certificate }) => [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]);
  return {
    fields: leaf.fields,
    notBefore: Math.max(...times.map(([from]) => from ?? Number.NaN)),
    notAfter: Math.min(...times.map(([, to]) => to ?? Number.NaN)),
  };
}

function readKnown(der: Buffer): Known {
  return { certificate: new X509Certificate(der), fields: readCertificateFields(der) };
}

/** The way from the last certificate of `path` to an authority, which is its last element. */
function findPath(
  last: Known,
  path: readonly Known[],
  intermediates: readonly Known[],
  roots: readonly Known[],
): readonly Known[] | undefined {
  if (roots.some((root) => root.certificate.raw.equals(last.certificate.raw))) {
    if (usable(path)) return path;
  }
  for (const root of roots) {
    const found = [...path, root];
    if (issued(root, last, path.length - 1) && usable(found)) return found;
  }
  for (const [i, next] of intermediates.entries()) {
    if (!issued(next, last, path.length - 1)) continue;
    const found = findPath(next, [...path, next], intermediates.toSpliced(i, 1), roots);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether an authority may and did sign a certificate that `below` other authorities lie under. */
function issued(authority: Known, subject: Known, below: number): boolean {
  const { certificate, fields } = authority;
  const constraints = fields.extensions.get(BASIC_CONSTRAINTS);
  if (constraints === undefined) return false;
  const { ca, pathLength } = readBasicConstraints(constraints.value);
  if (!ca || (pathLength !== undefined && below > pathLength)) return false;
  const usage = fields.extensions.get(KEY_USAGE);
  if (usage !== undefined && !hasKeyUsage(usage.value, SIGN_CERTIFICATES)) return false;
  return subject.certificate.checkIssued(certificate) && subject.certificate.verify(certificate.publicKey);
}

function usable(path: readonly Known[]): boolean {
  const named = path[0]?.fields.extensions.has(ALTERNATIVE_NAME) === true;
  return path.every(({ certificate, fields }) => {
    const usages = certificate.keyUsage as readonly string[] | undefined;
    if (usages !== undefined && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE)) return false;
    // Names are not compared with constraints: a certificate that has both is not trusted.
    if (named && fields.extensions.has(NAME_CONSTRAINTS)) return false;
    return [...fields.extensions].every(([oid, { critical }]) => !critical || understood.has(oid));
  });
}
