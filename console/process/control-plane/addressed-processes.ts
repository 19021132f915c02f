import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { timerMs } from '#base/time/longest-timer.ts';
import { type Credentials, credentialsOf, type Identity } from '#client/connection/credentials.ts';
import { LightConnections } from '#client/http/light-connections.ts';
import { Transport } from '#client/http/transport.ts';
import type { Connection } from '#program/connection/connection.ts';
import { tlsOptions } from '#program/connection/kept-connections.ts';
import { dialThrough } from '#program/connection/proxy.ts';

/** The time limit for an answer of a process, in milliseconds. */
export const ANSWER_MS = 5_000;

/** The certificates that a process presents, and why they are not trusted; '' if they are. */
export interface ShownChain {
  readonly certificates: readonly DetailedPeerCertificate[];
  readonly problem: string;
}

/**
 * Reaches single processes of a control plane, with the credentials of a connection. A process gets the credentials
 * only if the authorities of the connection have signed its certificate.
 */
export class AddressedProcesses {
  readonly #connection: Connection;
  readonly #credentials: Credentials;
  readonly #serverName: string | undefined;

  constructor(connection: Connection) {
    const { server, tlsServerName } = connection.cluster;
    const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
    this.#connection = connection;
    // If the server's address is a name, replicas have a certificate for that name; otherwise a certificate for their
    // own address.
    this.#serverName = tlsServerName ?? (isIP(host) === 0 ? host : undefined);
    this.#credentials = named(credentialsOf(connection), this.#serverName);
  }

  /**
   * Why credentials may not be sent to addresses other than that of the connection; undefined if they may. If
   * certificates are not checked, any process could get the credentials.
   */
  get refusal(): string | undefined {
    const { server, insecureSkipTlsVerify } = this.#connection.cluster;
    if (!server.startsWith('https:')) return 'the connection is not encrypted';
    return insecureSkipTlsVerify === true ? 'the connection file asks not to look at certificates' : undefined;
  }

  /** The address of the connection. */
  get server(): URL {
    return new URL(this.#connection.cluster.server);
  }

  /** @param server `https://127.0.0.1:6443` */
  transport(server: URL): Transport {
    return new Transport({
      server: server.href,
      credentials: this.#credentials,
      timeoutMs: ANSWER_MS,
      repeatsReads: false,
      connections: new LightConnections(server.origin, this.#connection.cluster.proxyUrl),
      userAgent: 'orch-console',
    });
  }

  /** The identity that requests are made with. */
  async identity(): Promise<Identity> {
    return this.#credentials.get(AbortSignal.timeout(ANSWER_MS));
  }

  /**
   * The certificates that a process presents, its own first. The process gets no credentials, so the page can also show
   * expired certificates.
   *
   * @throws Error if no connection is made in time
   */
  async chainOf(address: string): Promise<ShownChain> {
    const { hostname, port } = new URL(`https://${address}`);
    const host = hostname.replace(/^\[|\]$/g, '');
    const { tls } = await this.identity();
    const { proxyUrl } = this.#connection.cluster;
    const at = Number(port || 443);
    const socket = proxyUrl === undefined ? undefined : await dialThrough(proxyUrl, ANSWER_MS)(host, at);
    const options = { ...tlsOptions({ ca: tls.ca, serverName: this.#serverName }), rejectUnauthorized: false };
    return new Promise((resolve, reject) => {
      const secure = connect({ ...options, ...(socket === undefined ? { host, port: at } : { socket, host }) });
      const end = (): void => {
        clearTimeout(timer);
        secure.destroy();
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`no connection within ${ANSWER_MS} ms`));
      }, timerMs(ANSWER_MS));
      secure.once('error', (error) => {
        end();
        reject(error);
      });
      secure.once('secureConnect', () => {
        const certificates = chainFrom(secure.getPeerCertificate(true));
        const problem = secure.authorized ? '' : String(secure.authorizationError ?? 'it is not believed');
        end();
        resolve({ certificates, problem });
      });
    });
  }
}

/** The longest chain that is shown. */
const LONGEST_CHAIN = 8;

function chainFrom(first: DetailedPeerCertificate): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  for (let one: DetailedPeerCertificate | undefined = first; one?.raw !== undefined; one = one.issuerCertificate) {
    if (chain.includes(one) || chain.length === LONGEST_CHAIN) break;
    chain.push(one);
  }
  return chain;
}

/** The same credentials, for servers whose certificate is valid for `serverName`. */
function named(credentials: Credentials, serverName: string | undefined): Credentials {
  if (serverName === undefined) return credentials;
  const known = new WeakMap<Identity['tls'], Identity['tls']>();
  return {
    get: async (signal) => {
      const identity = await credentials.get(signal);
      let tls = known.get(identity.tls);
      if (tls === undefined) known.set(identity.tls, (tls = { ...identity.tls, serverName }));
      return { ...identity, tls };
    },
    refused: (identity) => credentials.refused(identity),
  };
}
