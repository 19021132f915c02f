import type { UserInfo } from '../api/user-info.ts';

/** All values of each header, by lower-case name: `IncomingMessage.headersDistinct` fits. */
export type RequestHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** The parts of a request that identify its user. */
export interface AuthenticationRequest {
  readonly headers: RequestHeaders;
  /** The requested path, without the query. */
  readonly path: string;
  /** DER of the client's certificate and its intermediates, leaf first; empty without one. Unverified. The same array
   * for every request of a connection makes verification a matter of once. */
  readonly peerCertificates: readonly Buffer[];
  /** Adds a Warning header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit log of the request. */
  annotate?(key: string, value: string): void;
}

/** A user recognized by an authenticator. */
export interface Authenticated {
  readonly user: UserInfo;
  /** The requested audiences for which a token is meant; undefined if it names none. */
  readonly audiences?: readonly string[];
  /** Annotations about the credentials for the audit log. */
  readonly annotation?: readonly [key: string, value: string] | undefined;
}

/**
 * One way to identify a request's user without a token: undefined without credentials of its kind. It returns errors of
 * credentials and does not throw them, because throwing costs time: for the authority of front proxies, every other
 * client's certificate is an error.
 */
export type RequestAuthenticator = (request: AuthenticationRequest) => Authenticated | CredentialError | undefined;

/**
 * One way to authenticate a bearer token that is meant for at least one of `audiences`. Undefined if the token is not
 * of this kind. Throws {@link CredentialError} if the token is bad, and StatusError 503 if the answer cannot be
 * determined.
 */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => Promise<Authenticated | undefined>;

/** Credentials that are not valid. The message is for reviews and logs and does not contain a secret. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}

/** A header's first value; undefined when it is absent or empty. */
export function firstValue(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name]?.[0];
  return value ? headerText(value) : undefined;
}

/** Node reads header bytes as Latin-1; names of users are UTF-8. */
export function headerText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return /^[\x00-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}

/** Headers that start with a prefix (lower case): a map from key, percent-decoded if possible, to values. */
export function extraHeaders(headers: RequestHeaders, prefixes: readonly string[]): Record<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [name, values] of Object.entries(headers)) {
    const prefix = prefixes.find((candidate) => name.startsWith(candidate));
    if (prefix === undefined || values === undefined) continue;
    const key = unescapeKey(name.slice(prefix.length));
    found.set(key, [...(found.get(key) ?? []), ...values.map(headerText)]);
  }
  return Object.fromEntries(found);
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
