import type { UserInfo } from '../api/user-info.ts';

/** All values of each header, by lower-case name. `IncomingMessage.headersDistinct` has this form. */
export type RequestHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** The parts of a request that identify its user. */
export interface AuthenticationRequest {
  readonly headers: RequestHeaders;
  /** The requested path, without the query. */
  readonly path: string;
  /**
   * The client's certificate and its intermediates as DER, the client's own first. Empty if there is none. They are not
   * verified yet. All requests of a connection have the same array, so verification happens once.
   */
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
 * One way to identify a request's user without a token. Undefined if there are no credentials of its kind. It returns
 * errors of credentials and does not throw them, because throwing takes time: for the authority of front proxies, the
 * certificate of every other client is an error.
 */
export type RequestAuthenticator = (request: AuthenticationRequest) => Authenticated | CredentialError | undefined;

/**
 * One way to authenticate a bearer token that is meant for at least one of `audiences`. Undefined if the token is not
 * of this kind. Throws {@link CredentialError} if the token is bad, and StatusError 503 if the answer cannot be
 * determined.
 */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => Promise<Authenticated | undefined>;

/** The error about invalid credentials. The message is for reviews and logs and does not contain a secret. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}

/** The first value of a header; undefined if it is absent or empty. */
export function firstValue(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name]?.[0];
  return value ? headerText(value) : undefined;
}

/** A header as UTF-8. Node.js reads the bytes of headers as Latin-1, but names of users are UTF-8. */
export function headerText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return /^[\x00-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}

/**
 * Headers whose name starts with a prefix (lower case). The keys of the map are the rests of the names, percent-decoded
 * if possible.
 */
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
