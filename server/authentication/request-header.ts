import { CredentialError, extraHeaders, firstValue, headerText, type RequestAuthenticator } from './authenticator.ts';
import type { CaBundle } from './ca-bundle.ts';
import { commonName } from './client-certificate.ts';

/** The trusted proxies, and the headers that name the user. Upper and lower case do not matter. */
export interface RequestHeaderOptions {
  readonly authorities: CaBundle;
  /** Allowed common names of proxies. Empty means any name. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** The user in the headers of a front proxy. The proxy proves itself by its certificate. */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): RequestAuthenticator {
  const { authorities, allowedNames } = options;
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
  const usernameHeaders = lower(options.usernameHeaders);
  const groupHeaders = lower(options.groupHeaders);
  const prefixes = lower(options.extraHeaderPrefixes);
  return (request) => {
    const { peerCertificates } = request;
    if (peerCertificates.length === 0) return undefined;
    const leaf = authorities.verify(peerCertificates);
    if (leaf instanceof CredentialError) return leaf;
    const proxy = commonName(leaf);
    if (allowedNames.length > 0 && !allowedNames.includes(proxy))
      return new CredentialError(`x509: subject with cn=${proxy} is not in the allowed list`);
    const { headers } = request;
    const name = usernameHeaders.map((header) => firstValue(headers, header)).find((value) => value !== undefined);
    if (name === undefined) return undefined;
    const groups = groupHeaders
      .flatMap((header) => headers[header] ?? [])
      .filter((group) => group !== '')
      .map(headerText);
    return { user: { name, uid: '', groups, extra: extraHeaders(headers, prefixes) } };
  };
}
