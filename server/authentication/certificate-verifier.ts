import { X509Certificate } from 'node:crypto';
import {
  type CertificateFields,
  hasKeyUsage,
  readBasicConstraints,
  readCertificateFields,
} from '#base/x509/certificate-fields.ts';
import { certificatesIn } from '#base/x509/pem.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const NAME_CONSTRAINTS = '2.5.29.30';
const ALTERNATIVE_NAME = '2.5.29.17';
const SIGN_CERTIFICATES = 5;

/** Critical extensions that this code checks, or that do not matter for a client certificate. */
const understood: ReadonlySet<string> = new Set([
  BASIC_CONSTRAINTS,
  KEY_USAGE,
  NAME_CONSTRAINTS,
  ALTERNATIVE_NAME,
  '2.5.29.37',
  '2.5.29.32',
]);

/** The largest number of certificates of a chain that are parsed. */
const MAX_CHAIN = 8;

/**
 * The largest number of signatures that are checked for one chain. A normal chain needs one for each certificate, or a
 * few more.
 */
const MAX_CHECKS = 50;

/** The largest number of certification paths that are tried among certificates with valid signatures. */
const MAX_STEPS = 200;

interface Known {
  readonly certificate: X509Certificate;
  readonly fields: CertificateFields;
}

/** A client certificate that an authority signed, directly or through others. */
export interface VerifiedCertificate {
  readonly fields: CertificateFields;
  /** The time within which all certificates on the way to the authority are valid, in milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * The certificates of a PEM text.
 * @throws Error if it has none, or a malformed one
 */
export function readAuthorities(pem: Buffer | string): readonly X509Certificate[] {
  const blocks = certificatesIn(pem.toString());
  if (blocks.length === 0) throw new Error('it holds no certificate');
  return blocks.map((block) => new X509Certificate(block));
}

/**
 * Verifies a client's chain: an authority must have signed it, and it must be for clients (or for any use). The caller
 * compares the times. An invented chain costs little. Signatures are checked from the authorities downwards, each once,
 * so only keys of certificates that are already trusted are used.
 * @throws Error with the reason
 */
export function verifyChain(chain: readonly Buffer[], authorities: readonly X509Certificate[]): VerifiedCertificate {
  const given = chain.slice(0, MAX_CHAIN).map(readKnown);
  const [leaf] = given;
  if (leaf === undefined) throw new Error('there is no certificate');
  const roots = authorities.map(knownAuthority);
  const path = findPath([leaf], roots, signers(given, roots), { steps: MAX_STEPS });
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

const known = new WeakMap<X509Certificate, Known>();

/** An authority of a file. Its result is remembered, because many connections use it. */
function knownAuthority(certificate: X509Certificate): Known {
  let found = known.get(certificate);
  if (found === undefined) {
    found = { certificate, fields: readCertificateFields(certificate.raw) };
    known.set(certificate, found);
  }
  return found;
}

/** The certificates that signed each certificate, for signers that are trusted. */
type Signers = ReadonlyMap<Known, readonly Known[]>;

/**
 * @throws Error for more than {@link MAX_CHECKS} signatures
 */
function signers(given: readonly Known[], roots: readonly Known[]): Signers {
  const signers = new Map<Known, Known[]>();
  const trusted = [...roots];
  let checks = 0;
  for (const authority of trusted) {
    for (const subject of given) {
      if (subject === authority || !maySign(authority, subject)) continue;
      if (++checks > MAX_CHECKS) throw new Error('too many signatures to check');
      if (!subject.certificate.verify(authority.certificate.publicKey)) continue;
      const others = signers.get(subject);
      if (others === undefined) {
        signers.set(subject, [authority]);
        trusted.push(subject);
      } else others.push(authority);
    }
  }
  return signers;
}

/** The path from the last certificate of `path` to an authority, which is the last element of the result. */
function findPath(
  path: readonly Known[],
  roots: readonly Known[],
  signers: Signers,
  left: { steps: number },
): readonly Known[] | undefined {
  if (left.steps-- === 0) throw new Error('too many ways to an authority');
  const last = path.at(-1)!;
  if (roots.some((root) => root === last || root.certificate.raw.equals(last.certificate.raw)) && usable(path)) {
    return path;
  }
  for (const signer of signers.get(last) ?? []) {
    if (path.includes(signer) || !mayStandAbove(signer, path.length - 1)) continue;
    const found = findPath([...path, signer], roots, signers, left);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a certificate has issued another one (`subject`) and may sign. */
function maySign({ certificate, fields }: Known, subject: Known): boolean {
  if (!subject.certificate.checkIssued(certificate)) return false;
  const constraints = fields.extensions.get(BASIC_CONSTRAINTS);
  if (constraints === undefined || !readBasicConstraints(constraints.value).ca) return false;
  const usage = fields.extensions.get(KEY_USAGE);
  return usage === undefined || hasKeyUsage(usage.value, SIGN_CERTIFICATES);
}

/** Whether an authority may have `below` other authorities between itself and a client. */
function mayStandAbove({ fields }: Known, below: number): boolean {
  const { pathLength } = readBasicConstraints(fields.extensions.get(BASIC_CONSTRAINTS)!.value);
  return pathLength === undefined || below <= pathLength;
}

function usable(path: readonly Known[]): boolean {
  const named = path[0]?.fields.extensions.has(ALTERNATIVE_NAME) === true;
  return path.every(({ certificate, fields }) => {
    const usages = certificate.keyUsage as readonly string[] | undefined;
    if (usages !== undefined && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE)) return false;
    // Names are not compared with name constraints. A certificate that has both is not trusted.
    if (named && fields.extensions.has(NAME_CONSTRAINTS)) return false;
    return [...fields.extensions].every(([oid, { critical }]) => !critical || understood.has(oid));
  });
}
