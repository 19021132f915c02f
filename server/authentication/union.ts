import { unauthorized } from '#base/errors/status-error.ts';
import type { MaybePromise } from '../api/maybe-promise.ts';
import type { UserInfo } from '../api/user-info.ts';
import {
  type Authenticated,
  type AuthenticationRequest,
  CredentialError,
  type RequestAuthenticator,
  type TokenAuthenticator,
} from './authenticator.ts';
import { bearerToken, webSocketToken } from './bearer-token.ts';
import { addAuthenticated, anonymousUser } from './groups.ts';

/** The refusal of a token that no authenticator recognizes. */
const INVALID_TOKEN = 'invalid bearer token';

/** The methods of a server. */
export interface AuthenticationMethods {
  /** The methods in their order: front proxy, then client certificates. */
  readonly request: readonly RequestAuthenticator[];
  readonly token: readonly TokenAuthenticator[];
  /** Whether a request without credentials for a path is accepted as the anonymous user. */
  readonly anonymous: (path: string) => boolean;
  /** This server's audiences. Tokens must be for one of them. */
  readonly audiences: readonly string[];
  /** The prefix of a token among the subprotocols of a web socket. */
  readonly webSocketTokenPrefix: string;
}

/** The result of the authenticators for a token. `error` is the reason of a failure. */
export type TokenVerdict =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly error: string };

/** The parts that authenticate a request. */
export interface Authentication {
  /**
   * The user of a request.
   *
   * @throws StatusError (401) for credentials that prove nothing, and for a request that lacks the credentials it
   * needs; `onFailure` gets the reasons
   */
  user(request: AuthenticationRequest, onFailure?: (reasons: readonly string[]) => void): MaybePromise<UserInfo>;
  /** Authenticates a token for reviews and for some audiences. An empty list means this server's audiences. */
  review(token: string, audiences: readonly string[]): Promise<TokenVerdict>;
}

/** The user from the first method that recognizes one. Certificates come before tokens. */
export function authentication(methods: AuthenticationMethods): Authentication {
  const { audiences: own } = methods;
  const ofToken = async (token: string, audiences: readonly string[], reasons: string[]) => {
    const found = await firstByToken(methods.token, token, audiences, reasons);
    if (found === undefined) reasons.unshift(INVALID_TOKEN);
    return found;
  };
  const byToken = async (
    request: AuthenticationRequest,
    reasons: string[],
    onFailure?: (reasons: readonly string[]) => void,
  ): Promise<UserInfo> => {
    const found = await ofTokens(request, methods.webSocketTokenPrefix, (token) => ofToken(token, own, reasons));
    if (found !== undefined) {
      if (found.annotation !== undefined) request.annotate?.(...found.annotation);
      return addAuthenticated(found.user);
    }
    if (reasons.length === 0 && methods.anonymous(request.path)) return anonymousUser;
    onFailure?.(reasons);
    throw unauthorized();
  };
  return {
    user(request, onFailure) {
      const reasons: string[] = [];
      const found = firstByRequest(methods.request, request, reasons);
      return found === undefined ? byToken(request, reasons, onFailure) : addAuthenticated(found.user);
    },
    async review(token, audiences) {
      const wanted = audiences.length > 0 ? audiences : own;
      const reasons: string[] = [];
      const found = await ofToken(token, wanted, reasons);
      if (found === undefined) return { authenticated: false, error: joined(reasons) };
      return { authenticated: true, user: addAuthenticated(found.user), audiences: found.audiences ?? wanted };
    },
  };
}

async function ofTokens(
  request: AuthenticationRequest,
  webSocketPrefix: string,
  authenticate: (token: string) => Promise<Authenticated | undefined>,
): Promise<Authenticated | undefined> {
  for (const token of [bearerToken(request), webSocketToken(request, webSocketPrefix)]) {
    const found = token === undefined ? undefined : await authenticate(token);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Tries the methods in order. After invalid credentials the next method is tried. */
function firstByRequest(
  methods: readonly RequestAuthenticator[],
  request: AuthenticationRequest,
  reasons: string[],
): Authenticated | undefined {
  for (const method of methods) {
    const found = method(request);
    if (found instanceof CredentialError) note(found, reasons);
    else if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Tries the methods in order. After invalid credentials the next method is tried. A method that cannot decide ends the
 * search.
 */
async function firstByToken(
  methods: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[],
  reasons: string[],
): Promise<Authenticated | undefined> {
  for (const method of methods) {
    try {
      const found = await method(token, audiences);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      note(error, reasons);
    }
  }
  return undefined;
}

function note({ message }: CredentialError, reasons: string[]): void {
  if (!reasons.includes(message)) reasons.push(message);
}

function joined(reasons: readonly string[]): string {
  return reasons.length === 1 ? (reasons[0] ?? '') : `[${reasons.join(', ')}]`;
}
