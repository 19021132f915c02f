import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { whyNotFor } from '#base/x509/certificate-names.ts';

/** The code of errors about a certificate that is for another name. */
const OF_ANOTHER = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** The system's messages about a certificate whose signature uses an untrusted digest. */
const WEAK_DIGEST = /digest algorithm too weak/;

/**
 * Checks that a certificate is valid for a host. Its list of names must contain the host, as programs of this field
 * require. The common name of its subject does not count, although some programs still accept it.
 */
export function checkNamed(host: string, certificate: PeerCertificate): Error | undefined {
  const { subjectaltname: names } = certificate;
  if (names !== undefined && checkServerIdentity(host, certificate) === undefined) return undefined;
  const message =
    names === undefined ? 'certificate relies on legacy Common Name field, use SANs instead' : whyNotFor(host, names);
  return Object.assign(new Error(message), { code: OF_ANOTHER, reason: message, host, cert: certificate });
}

/** The outdated property of the certificate that made a connection fail; undefined for another reason. */
export function outdatedPart(error: unknown): 'name' | 'digest' | undefined {
  const { code, message, cert } = error as NodeJS.ErrnoException & { cert?: PeerCertificate };
  if (code === OF_ANOTHER && cert !== undefined && cert.subjectaltname === undefined) return 'name';
  return WEAK_DIGEST.test(message) ? 'digest' : undefined;
}
