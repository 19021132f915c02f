import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { badRequest, notFound, StatusError } from '#base/errors/status-error.ts';
import type { Pod, Service } from '#schema/generated/core.v1.ts';
import { type Backend, unreachable } from '../outbound/backend.ts';
import type { ReadyEndpoint } from '../outbound/cluster-services.ts';
import { mostRecent } from '../verbs/read-version.ts';
import type { Connections } from './connect/connection.ts';
import { storedOne } from './connect/stored-one.ts';
import { portNumber, type TargetName, targetName } from './connect/target-name.ts';

/** The time limit for a connection to a pod, in milliseconds. */
const CONNECT_TIMEOUT_MS = 30_000;

const REFUSED = 'address not allowed';

/**
 * Finds the backend that answers for an object.
 *
 * @throws StatusError (400, 404, 503)
 */
export type FindTarget = (connections: Connections, namespace: string, id: string) => Promise<Backend>;

function unavailable(message: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', message);
}

function parsed(what: string, id: string): TargetName {
  const target = targetName(id);
  if (target === undefined) throw badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  return target;
}

function addressesOf({ status }: Pod): string[] {
  const all = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)];
  return all.filter((ip): ip is string => ip !== undefined && ip !== '');
}

/**
 * Finds a pod at its own address. The port is the requested one (by number or name), or otherwise the first that a
 * container declares.
 */
export const findPod: FindTarget = async ({ registry, allows }, namespace, id) => {
  const { secure, name, port } = parsed('pod', id);
  const pod = await storedOne<Pod>(registry, 'pods', namespace, name);
  const [host = ''] = addressesOf(pod);
  if (!allows(host)) throw badRequest(REFUSED);
  const declared = (pod.spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const number =
    port === ''
      ? (declared[0]?.containerPort ?? (secure ? 443 : 80))
      : (portNumber(port) ?? declared.find((candidate) => candidate.name === port)?.containerPort);
  if (number === undefined) throw unavailable(`error trying to reach service: pod ${name} has no port ${port}`);
  return { secure, host, port: number, connectTimeoutMs: CONNECT_TIMEOUT_MS };
};

/**
 * Users may have the right to write endpoints without the right to connect to every address. So only addresses of pods
 * of the namespace count.
 */
async function belongsToPod(
  { registry, allows }: Connections,
  namespace: string,
  { host, targetRef }: ReadyEndpoint,
): Promise<boolean> {
  if (targetRef?.kind !== 'Pod' || (targetRef.namespace ?? '') !== namespace || !allows(host)) return false;
  try {
    return addressesOf(await storedOne<Pod>(registry, 'pods', namespace, targetRef.name ?? '')).includes(host);
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return false;
    throw error;
  }
}

/**
 * Connects to a service through one of its ready endpoints. The port is the requested one (by name or number), or
 * otherwise the one without a name.
 */
export const findService: FindTarget = async (connections, namespace, id) => {
  const { registry, services } = connections;
  const { secure, name, port } = parsed('service', id);
  let portName = port;
  if (/^[+-]?\d+$/.test(port)) {
    const { spec } = await storedOne<Service>(registry, 'services', namespace, name);
    const declared = spec?.ports?.find((candidate) => candidate.port === Number(port));
    if (declared === undefined)
      throw unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
    portName = declared.name ?? '';
  }
  await mostRecent(registry);
  const known = services.readyEndpoints(namespace, name, portName);
  if (known === undefined) throw notFound({ group: '', resource: 'services' }, name);
  for (const endpoint of services.inTurn(namespace, name, portName)) {
    if (!(await belongsToPod(connections, namespace, endpoint))) continue;
    return { secure, host: endpoint.host, port: endpoint.port, connectTimeoutMs: CONNECT_TIMEOUT_MS };
  }
  const asked = services.hasEndpoints(namespace, name) ? id : name;
  throw unavailable(`no endpoints available for service ${JSON.stringify(asked)}`);
};

/** The address of a host name. The connection goes to this address, because it was checked. */
async function resolved(agent: Backend, allows: Connections['allows']): Promise<string> {
  if (isIP(agent.host) !== 0) {
    if (!allows(agent.host)) throw badRequest(REFUSED);
    return agent.host;
  }
  const addresses = await lookup(agent.host, { all: true }).catch((error: NodeJS.ErrnoException) => {
    throw unreachable(agent, error);
  });
  if (addresses.length === 0 || addresses.some(({ address }) => !allows(address))) throw badRequest(REFUSED);
  return addresses[0]!.address;
}

/** Finds a node: its agent, or another port of the node. */
export const findNode: FindTarget = async ({ agents, allows }, _namespace, id) => {
  const { secure, name, port } = parsed('node', id);
  const agent = await agents.find(name);
  const address = await resolved(agent, allows);
  const number = port === '' ? agent.port : portNumber(port);
  if (number === undefined) throw badRequest(`invalid node request ${JSON.stringify(id)}`);
  if (number === agent.port) return { ...agent, address };
  return { secure, host: agent.host, address, port: number, connectTimeoutMs: CONNECT_TIMEOUT_MS };
};
