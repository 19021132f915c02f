import type { JsonObject } from '#base/json/json-value.ts';
import { admit } from '../../api/admission.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { ClusterServices } from '../../outbound/cluster-services.ts';
import type { Registry } from '../../resources/registry.ts';
import type { AddressPolicy } from './addresses.ts';
import type { Credentials } from './forwarded-headers.ts';
import type { NodeAgents } from './node-agents.ts';

/** The inputs for connecting clients with other servers. */
export interface Connections {
  readonly registry: Registry;
  readonly services: ClusterServices;
  readonly agents: NodeAgents;
  readonly credentials: Credentials;
  /** The allowed addresses of pods and nodes. */
  readonly allows: AddressPolicy;
  /** The limit in bytes per second for each direction of an upgraded connection; 0 means no limit. */
  readonly bytesPerSecond: number;
}

/** A boolean value of the query. It is set unless its text means no. */
export function queryFlag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}

/**
 * Lets admission check whether a connection may be made. `options` are those of the query.
 * @throws the errors of plug-ins
 */
export async function admitConnection(
  registry: Registry,
  served: ServedResource,
  context: RequestContext,
  kind: string,
  options: JsonObject,
): Promise<void> {
  const { namespace, name, subresource } = context.info;
  await admit(registry.admission, {
    operation: 'CONNECT',
    served,
    subresource,
    namespace: served.type.namespaced ? namespace : '',
    name,
    object: { apiVersion: 'v1', kind, metadata: {}, ...options },
    oldObject: undefined,
    kind: { group: '', version: 'v1', kind },
    options: {},
    dryRun: false,
    context,
  });
}
