import { StatusError } from '#base/errors/status-error.ts';
import type { Trust } from '#program/connection/kept-connections.ts';
import { WatchedFile } from '#program/files/file-watcher.ts';
import type { Node } from '#schema/generated/core.v1.ts';
import type { NodeAgentOptions } from '../../config/options.ts';
import type { Backend } from '../../outbound/backend.ts';
import type { Registry } from '../../resources/registry.ts';
import { storedOne } from './stored-one.ts';

const DEFAULT_PORT = 10250;

/** Finds the agents on nodes, and has the credentials for them. */
export class NodeAgents {
  readonly #registry: Registry;
  readonly #options: NodeAgentOptions;
  readonly #files: readonly (WatchedFile<Buffer> | undefined)[];

  /** Reads the certificate files at once. Throws if one cannot be read. */
  constructor(registry: Registry, options: NodeAgentOptions) {
    this.#registry = registry;
    this.#options = options;
    this.#files = [options.caFile, options.certFile, options.keyFile].map((file) =>
      file === undefined ? undefined : new WatchedFile(file, (content) => content),
    );
  }

  /**
   * The agent of a node.
   *
   * @throws StatusError: 404 if the node does not exist, 503 if it has no usable address
   */
  async find(node: string): Promise<Backend> {
    const { status } = await storedOne<Node>(this.#registry, 'nodes', '', node);
    const addresses = status?.addresses ?? [];
    for (const type of this.#options.preferredAddressTypes) {
      const found = addresses.find((address) => address.type === type && (address.address ?? '') !== '');
      if (found === undefined) continue;
      const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
      return {
        secure: true,
        host: found.address!,
        port: port === 0 ? DEFAULT_PORT : port,
        connectTimeoutMs: this.#options.timeoutMs,
        trust: this.#trust(),
      };
    }
    const known = addresses.map(({ type, address }) => `${type}=${address}`).join(' ');
    throw new StatusError(
      503,
      'ServiceUnavailable',
      `node ${JSON.stringify(node)} cannot be reached: no preferred addresses found; known addresses: [${known}]`,
    );
  }

  /** The trusted authorities. Without authorities an agent is not verified. */
  #trust(): Trust {
    const [ca, cert, key] = this.#files.map((file) => file?.value);
    return { ca, cert, key, insecure: ca === undefined };
  }
}
