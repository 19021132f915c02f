import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { ExpiringCache } from '#base/collections/expiring-cache.ts';
import { certificatesIn } from '#base/x509/pem.ts';
import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import { authenticationV1, authorizationV1 } from '#client/generated/resources.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** The client that asks for health or metrics. */
export interface Visitor {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Authorities (PEM texts) by the kind of certificate that they prove. */
export interface Authorities {
  readonly client: readonly X509Certificate[];
  readonly proxy: readonly X509Certificate[];
  /** Common names of proxies. Empty means any name. */
  readonly proxyNames: readonly string[];
  readonly userHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export interface VisitorOptions {
  /** The client that asks the API server for the user of a token. */
  readonly authentication: Client;
  /** The client that asks for access reviews of a visitor. */
  readonly authorization: Client;
  readonly authorities: () => Authorities;
  readonly tokenTtlMs: number;
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
  /** Paths that every client may request; `/a/*` for all paths below. */
  readonly openPaths: readonly string[];
}

const ANONYMOUS: Visitor = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const REMEMBERED = 1000;

/**
 * Decides which visitor may see which page of this program. It asks the API server, which knows users and their
 * permissions.
 */
export class Visitors {
  readonly #options: VisitorOptions;
  readonly #tokens: ExpiringCache<Visitor | false>;
  readonly #decisions: ExpiringCache<boolean>;

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#tokens = new ExpiringCache(REMEMBERED);
    this.#decisions = new ExpiringCache(REMEMBERED);
  }

  isOpen(path: string): boolean {
    return this.#options.openPaths.some((open) =>
      open.endsWith('*') ? path.startsWith(open.slice(0, -1)) : path === open,
    );
  }

  /** The user of a request; undefined for credentials that prove nothing. */
  async identify(request: IncomingMessage): Promise<Visitor | undefined> {
    const certificate = (request.socket as TLSSocket).getPeerCertificate?.(true);
    const byCertificate = certificate?.raw === undefined ? undefined : this.#byCertificate(certificate, request);
    if (byCertificate !== undefined) return byCertificate;
    const [, token] = /^Bearer +(\S+)/i.exec(request.headers.authorization ?? '') ?? [];
    if (token !== undefined) return this.#byToken(token);
    return ANONYMOUS;
  }

  async mayGet(visitor: Visitor, method: string, path: string): Promise<boolean> {
    if (visitor.groups.includes('system:masters')) return true;
    const { authorization, allowedTtlMs, deniedTtlMs } = this.#options;
    const verb = method.toLowerCase();
    const key = JSON.stringify([visitor, verb, path]);
    const known = this.#decisions.get(key);
    if (known !== undefined) return known;
    const review = await authorization.resource(authorizationV1.subjectaccessreviews).create({
      metadata: {},
      spec: {
        user: visitor.name,
        groups: [...visitor.groups],
        ...(visitor.uid === undefined ? {} : { uid: visitor.uid }),
        ...(visitor.extra === undefined ? {} : { extra: mutable(visitor.extra) }),
        nonResourceAttributes: { verb, path },
      },
    });
    const allowed = review.status?.allowed === true;
    this.#decisions.set(key, allowed, allowed ? allowedTtlMs : deniedTtlMs);
    return allowed;
  }

  #byCertificate(peer: PeerCertificate, request: IncomingMessage): Visitor | undefined {
    const { client, proxy, proxyNames, userHeaders, groupHeaders, extraPrefixes } = this.#options.authorities();
    const certificate = new X509Certificate(peer.raw);
    const first = (headers: readonly string[]) =>
      headers.map((name) => one(request.headers[name.toLowerCase()])).find(Boolean);
    const remote = first(userHeaders);
    const common = one(peer.subject?.CN);
    const isProxy = isIssued(certificate, proxy) && (proxyNames.length === 0 || proxyNames.includes(common));
    if (remote !== undefined && isProxy) {
      const groups = groupHeaders.flatMap((name) => all(request.headers[name.toLowerCase()]));
      const extra = extraPrefixes.flatMap((prefix) =>
        Object.entries(request.headers)
          .filter(([name]) => name.startsWith(prefix.toLowerCase()))
          .map(([name, value]) => [decode(name.slice(prefix.length)), all(value)] as const),
      );
      return { name: remote, groups: [...groups, 'system:authenticated'], extra: Object.fromEntries(extra) };
    }
    if (!isIssued(certificate, client) || common === '') return undefined;
    return { name: common, groups: [...all(peer.subject.O), 'system:authenticated'] };
  }

  async #byToken(token: string): Promise<Visitor | undefined> {
    const key = createHash('sha256').update(token).digest('base64');
    const known = this.#tokens.get(key);
    if (known !== undefined) return known === false ? undefined : known;
    const { authentication, tokenTtlMs } = this.#options;
    const review = await authentication
      .resource(authenticationV1.tokenreviews)
      .create({ metadata: {}, spec: { token } } as ApiObject as never);
    const { authenticated, user } = review.status ?? {};
    const visitor: Visitor | false =
      authenticated === true && user?.username
        ? { name: user.username, uid: user.uid, groups: user.groups ?? [], extra: user.extra }
        : false;
    this.#tokens.set(key, visitor, tokenTtlMs);
    return visitor === false ? undefined : visitor;
  }
}

/** Whether a certificate is valid now, and is one of these or was signed directly by one of them. */
function isIssued(certificate: X509Certificate, by: readonly X509Certificate[]): boolean {
  const now = Date.now();
  if (Date.parse(certificate.validFrom) > now || Date.parse(certificate.validTo) < now) return false;
  return by.some(
    (known) =>
      known.raw.equals(certificate.raw) ||
      (known.ca && certificate.checkIssued(known) && certificate.verify(known.publicKey)),
  );
}

/** All certificates of a PEM text. */
export function readAuthorities(pem: string): X509Certificate[] {
  return certificatesIn(pem).map((block) => new X509Certificate(block));
}

/** The error about the answer of the API server, or about a failed request, with which a visitor is refused. */
export function describe(error: unknown): string {
  return error instanceof ApiError ? `${error.code} ${error.message}` : String((error as Error).message ?? error);
}

function one(value: string | readonly string[] | undefined): string {
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

function all(value: string | readonly string[] | undefined): string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : [...value];
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name;
  }
}

function mutable(extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]));
}
