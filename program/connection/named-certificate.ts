import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { whyNotFor } from '#base/x509/certificate-names.ts';

/** The code of errors about a certificate that is for another name. */
const OF_ANOTHER = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** The system's messages about a certificate whose signature uses an untrusted digest. */
const WEAK_DIGEST = /digest algorithm too weak/;

/**
 * Whether a certificate is for a host: it must say so in its list of names, as programs of this field want it. The one
 * name of its subject, by which some still go, proves nothing.
 */
export function checkNamed(host: string, certificate: PeerCertificate): Error | undefined {
  const { subjectaltname: names } = certificate;
  if (names !== undefined && checkServerIdentity(host, certificate) === undefined) return undefined;
  const message =
    names === undefined ? 'certificate relies on legacy Common Name field, use SANs instead' : whyNotFor(host, names);
  return Object.assign(new Error(message), { code: OF_ANOTHER, reason: message, host, cert: certificate });
}

/** The outdated property of the certificate for which a connection failed, if that is the reason. */
export function outdatedPart(error: unknown): 'name' | 'digest' | undefined {
  const { code, message, cert } = error as NodeJS.ErrnoException & { cert?: PeerCertificate };
  if (code === OF_ANOTHER && cert !== undefined && cert.subjectaltname === undefined) return 'name';
  return WEAK_DIGEST.test(message) ? 'digest' : undefined;
}
