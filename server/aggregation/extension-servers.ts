import https from 'node:https';
import type { KeyPair } from '../flags/key-pair.ts';
import type { Backend } from '../outbound/backend.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';
import type { APIServiceSpec } from '../schema/generated/apiregistration.v1.ts';
import type { KnownApiService } from './api-services.ts';
import { type Finding, problemOf } from './conditions.ts';

/** Limit of connecting with an extension server, with the TLS handshake, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long a connection may wait for its next request, in milliseconds: shorter than servers commonly wait. */
const IDLE_MS = 15_000;
const MAX_IDLE = 16;
/** Connections with one extension server: each watch has its own. */
const MAX_CONNECTIONS = 4_096;

/** What decides whom a connection may be used for. */
interface Trust {
  readonly serverName: string;
  readonly caBundle: string;
  readonly insecure: boolean;
  readonly identity: KeyPair | undefined;
}

/** Keeps the connections with one extension server; whom to trust is the same for all of them. */
class ExtensionAgent extends https.Agent {
  readonly trust: Trust;

  constructor(trust: Trust) {
    const { serverName, caBundle, insecure, identity } = trust;
    super({
      keepAlive: true,
      maxSockets: MAX_CONNECTIONS,
      maxFreeSockets: MAX_IDLE,
      timeout: IDLE_MS,
      scheduling: 'lifo',
      servername: serverName,
      rejectUnauthorized: !insecure,
      ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64') }),
      ...(identity === undefined ? {} : { cert: identity.cert, key: identity.key }),
    });
    this.trust = trust;
  }

  /** Only addresses tell connections apart here. */
  override getName(options: https.RequestOptions = {}): string {
    return `${options.host}:${options.port}`;
  }
}

/** Finds the servers behind APIServices, and keeps connections with them. */
export class ExtensionServers {
  readonly #services: ClusterServices;
  readonly #identity: () => KeyPair | undefined;
  readonly #agents = new Map<string, ExtensionAgent>();

  constructor(services: ClusterServices, identity: () => KeyPair | undefined) {
    this.#services = services;
    this.#identity = identity;
  }

  /** Where the server of an APIService is reached now. Throws an Error when it has no address. */
  backend({ item, object }: KnownApiService): Backend {
    const spec = object.spec!;
    const { namespace = '', name = '', port = 443 } = spec.service!;
    const address = this.#services.addressOf({ namespace, name, port });
    return { secure: true, ...address, connectTimeoutMs: CONNECT_TIMEOUT_MS, agent: this.#agent(item.name, spec) };
  }

  /** What stored objects say against the server of an APIService; undefined where they say nothing. */
  problem({ object }: KnownApiService): Finding | undefined {
    return problemOf(object.spec!.service!, this.#services);
  }

  /** Forgets the connections with servers that are registered no more. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#agents.keys()) if (!names.has(name)) this.#agents.delete(name);
  }

  /** Ends all connections. */
  stop(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent(name: string, { service, caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec): ExtensionAgent {
    const known = this.#agents.get(name);
    const trust: Trust = {
      serverName: `${service!.name}.${service!.namespace}.svc`,
      caBundle,
      insecure: insecureSkipTLSVerify,
      identity: this.#identity(),
    };
    if (known !== undefined && sameTrust(known.trust, trust)) return known;
    // what goes on over connections of the one before comes to its end; idle ones end by themselves
    const agent = new ExtensionAgent(trust);
    this.#agents.set(name, agent);
    return agent;
  }
}

function sameTrust(a: Trust, b: Trust): boolean {
  return (
    a.serverName === b.serverName && a.caBundle === b.caBundle && a.insecure === b.insecure && a.identity === b.identity
  );
}
