import { randomInt } from 'node:crypto';
import type { Endpoints, Service, ServicePort } from '../../schema/generated/core.v1.ts';
import type { ClusterView } from '../cluster-view.ts';

/** Where something listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

function endpointOf(cluster: Pick<ClusterView, 'get'>, key: string, { name: portName = '' }: ServicePort): Address {
  const { subsets } = cluster.get<Endpoints>('', 'endpoints', key) ?? {};
  const all = (subsets ?? []).flatMap(({ addresses, ports }) => {
    const port = ports?.find(({ name = '' }) => name === portName)?.port;
    return port === undefined ? [] : (addresses ?? []).map(({ ip }) => ({ host: ip, port }));
  });
  if (all.length === 0) throw new Error(`no endpoints available for service ${JSON.stringify(key.split('/')[1])}`);
  return all[randomInt(all.length)]!;
}

/**
 * Where a service takes calls: its cluster IP, or one of its endpoints where `endpoints` asks for that or it has no
 * cluster IP. Throws an Error that says why there is none.
 */
export function serviceAddress(
  cluster: Pick<ClusterView, 'get'>,
  service: { readonly namespace: string; readonly name: string; readonly port: number },
  endpoints: boolean,
): Address {
  const { namespace, name, port } = service;
  const key = `${namespace}/${name}`;
  const found = cluster.get<Service>('', 'services', key);
  if (found === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { type = 'ClusterIP', clusterIP = '', externalName = '', ports } = found.spec ?? {};
  if (type === 'ExternalName') return { host: externalName, port };
  const servicePort = ports?.find((candidate) => candidate.port === port);
  if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const headless = clusterIP === '' || clusterIP === 'None';
  return endpoints || headless ? endpointOf(cluster, key, servicePort) : { host: clusterIP, port };
}
