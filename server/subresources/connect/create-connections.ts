import type { Naming } from '#base/naming/naming.ts';
import type { ServerOptions } from '../../config/options.ts';
import type { ClusterServices } from '../../outbound/cluster-services.ts';
import type { Registry } from '../../resources/registry.ts';
import { refuseOwnAddresses } from './addresses.ts';
import type { Connections } from './connection.ts';
import type { Credentials } from './forwarded-headers.ts';
import { NodeAgents } from './node-agents.ts';

/** The headers that identify a client: its token, impersonation, and the headers of a front proxy. */
export function credentialHeaders(options: ServerOptions, naming: Naming): Credentials {
  const { usernameHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = options.authentication.frontProxy ?? {};
  const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
  return {
    headers: new Set(['authorization', ...lower([...usernameHeaders, ...groupHeaders])]),
    prefixes: ['impersonate-', ...lower(extraHeaderPrefixes)],
    webSocketTokenPrefix: `${naming.domain('base64url.bearer.authorization')}.`,
  };
}

/**
 * The inputs for connecting clients with nodes, pods and services.
 *
 * @throws Error if a certificate file cannot be read
 */
export function createConnections(registry: Registry, services: ClusterServices, options: ServerOptions): Connections {
  return {
    registry,
    services,
    agents: new NodeAgents(registry, options.nodeAgent),
    credentials: credentialHeaders(options, registry.naming),
    allows: refuseOwnAddresses,
    bytesPerSecond: options.connectionBytesPerSecond,
  };
}
