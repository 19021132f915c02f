import type { Connection, Impersonation } from '#program/connection/connection.ts';
import type { Trust } from '#program/connection/kept-connections.ts';
import { ExecCredentials } from './exec-credentials.ts';
import { WatchedText } from './watched-text.ts';

/** The credentials of one request. */
export interface Identity {
  readonly tls: Trust;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** A source of credentials. */
export interface Credentials {
  /** The current identity. The same object is returned until the identity changes. */
  get(signal: AbortSignal): Promise<Identity>;
  /** Called when the server refused this identity (401). Returns whether `get` may give another identity now. */
  refused(identity: Identity): boolean;
}

/** The source of the credentials of a connection. */
export function credentialsOf(connection: Connection): Credentials {
  return new ConnectionCredentials(connection);
}

/**
 * The credentials of a connection, with a bearer token in place of the connection's own user.
 *
 * @param token gives the present token; called before each request
 * @param refused called when the server did not accept the token; returns whether `token` may give another token now
 * @example tokenCredentials(connection, async () => readFile('token', 'utf8'), () => false)
 */
export function tokenCredentials(
  connection: Connection,
  token: (signal: AbortSignal) => Promise<string>,
  refused: () => boolean,
): Credentials {
  const base = new ConnectionCredentials({ cluster: connection.cluster, user: {} });
  return {
    get: async (signal) => {
      const { tls } = await base.get();
      return { tls, headers: { authorization: `Bearer ${await token(signal)}` } };
    },
    refused,
  };
}

class ConnectionCredentials implements Credentials {
  readonly #connection: Connection;
  readonly #ca: WatchedText | undefined;
  readonly #certificate: WatchedText | undefined;
  readonly #key: WatchedText | undefined;
  readonly #token: WatchedText | undefined;
  readonly #exec: ExecCredentials | undefined;
  readonly #basic: string | undefined;
  readonly #impersonation: Readonly<Record<string, string | string[]>>;

  constructor(connection: Connection) {
    const { cluster, user } = connection;
    this.#connection = connection;
    this.#ca = cluster.ca && new WatchedText(cluster.ca);
    this.#certificate = user.clientCertificate && new WatchedText(user.clientCertificate);
    this.#key = user.clientKey && new WatchedText(user.clientKey);
    this.#token = user.token && new WatchedText(user.token);
    this.#exec = user.exec && new ExecCredentials(user.exec, cluster);
    this.#basic =
      user.username === undefined
        ? undefined
        : `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
    this.#impersonation = user.impersonate === undefined ? {} : impersonationHeaders(user.impersonate);
  }

  async get(signal?: AbortSignal): Promise<Identity> {
    const { cluster } = this.#connection;
    const plugin = await this.#exec?.get(signal);
    const token = this.#token?.get().trim() ?? plugin?.token;
    const authorization = token === undefined || token === '' ? this.#basic : `Bearer ${token}`;
    return {
      tls: {
        ca: this.#ca?.get(),
        cert: this.#certificate?.get() ?? plugin?.certificate,
        key: this.#key?.get() ?? plugin?.key,
        serverName: cluster.tlsServerName,
        insecure: cluster.insecureSkipTlsVerify,
      },
      headers: { ...(authorization === undefined ? {} : { authorization }), ...this.#impersonation },
    };
  }

  refused(): boolean {
    const sources = [this.#certificate, this.#key, this.#token];
    const files = sources.map((source) => source?.forget() ?? false);
    return (this.#exec?.forget() ?? false) || files.includes(true);
  }
}

function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  return {
    'Impersonate-User': user,
    ...(uid === undefined ? {} : { 'Impersonate-Uid': uid }),
    ...(groups === undefined || groups.length === 0 ? {} : { 'Impersonate-Group': [...groups] }),
    ...Object.fromEntries(
      Object.entries(extra ?? {}).map(([key, values]) => [`Impersonate-Extra-${encodeURIComponent(key)}`, [...values]]),
    ),
  };
}
