import type { MadeCertificate } from '#base/x509/make-certificate.ts';
import type { AuthenticationRequest } from '../authenticator.ts';

/** A request with the given headers (names in lower case) and client certificate. */
export function makeRequest(
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  ...certificates: readonly MadeCertificate[]
): AuthenticationRequest & { readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  return {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? [value] : value]),
    ),
    path: '/api',
    peerCertificates: certificates.map(({ der }) => der),
    warnings,
    warn: (text) => warnings.push(text),
  };
}
