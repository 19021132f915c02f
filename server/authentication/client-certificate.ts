import { createHash } from 'node:crypto';
import { type CertificateFields, COMMON_NAME, ORGANIZATION } from '#base/x509/certificate-fields.ts';
import type { UserInfo } from '../api/user-info.ts';
import { type Authenticated, CredentialError, type RequestAuthenticator } from './authenticator.ts';
import type { CaBundle } from './ca-bundle.ts';
import { addAuthenticated } from './groups.ts';

/**
 * The user of a client certificate. Its name is the last common name. Its groups are the organizations, and the group
 * of all users.
 * @param credentialKey the key for a digest of the certificate in the user's extra values; undefined if users do not
 * have it
 */
export function clientCertificateAuthenticator(authorities: CaBundle, credentialKey?: string): RequestAuthenticator {
  // The fields of a client's certificate stay the same value, and so does the user of all its requests.
  const known = new WeakMap<CertificateFields, Authenticated | CredentialError>();
  return ({ peerCertificates }) => {
    if (peerCertificates.length === 0) return undefined;
    const fields = authorities.verify(peerCertificates);
    if (fields instanceof CredentialError) return fields;
    let found = known.get(fields);
    if (found === undefined) {
      const extra = credentialKey === undefined ? {} : { [credentialKey]: [certificateId(peerCertificates[0]!)] };
      known.set(fields, (found = userOf(fields, extra)));
    }
    return found;
  };
}

function certificateId(certificate: Buffer): string {
  return `X509SHA256=${createHash('sha256').update(certificate).digest('hex')}`;
}

function userOf(fields: CertificateFields, extra: UserInfo['extra']): Authenticated | CredentialError {
  const name = commonName(fields);
  if (name === '') return new CredentialError('x509: the certificate names no user');
  const groups = fields.subject.filter(({ type }) => type === ORGANIZATION).map(({ value }) => value);
  return { user: addAuthenticated({ name, uid: '', groups, extra }) };
}

/** The common name of a subject. If there are several, the last one is used. */
export function commonName(fields: CertificateFields): string {
  return fields.subject.findLast(({ type }) => type === COMMON_NAME)?.value ?? '';
}
