import type { Naming } from '#base/naming/naming.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { Endpoints, ObjectReference, Service } from '#schema/generated/core.v1.ts';
import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { StoredResource } from '../api/served-resource.ts';
import { type ConversionContext, storedObject } from '../resources/built-in-reading.ts';

/** The host and the port of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The address of one endpoint of a service. */
export interface ReadyEndpoint extends Address {
  /** The object behind the address, according to the endpoint. */
  readonly targetRef: Pick<ObjectReference, 'kind' | 'namespace' | 'name'> | undefined;
}

/** A port of a service, with the name that callers use. */
export interface ServicePortName {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The stored objects that say where services are. They are shared and must not be changed. */
export interface ServiceObjects {
  /** An object. `key` is `namespace/name`. */
  get<T extends ApiObject>(group: string, plural: string, key: string): T | undefined;
  /** The objects of a namespace with a label. */
  labelled<T extends ApiObject>(
    group: string,
    plural: string,
    namespace: string,
    label: readonly [key: string, value: string],
  ): readonly T[];
}

/**
 * The objects in the cache of some resources. For another resource it throws an Error, which is a programming error.
 */
export function serviceObjects(context: ConversionContext, resources: readonly StoredResource[]): ServiceObjects {
  const byId = new Map(resources.map((one) => [storageId(one.group, one.plural), one]));
  const storedOf = (group: string, plural: string): StoredResource => {
    const stored = byId.get(storageId(group, plural));
    if (stored === undefined) throw new Error(`no stored resource ${storageId(group, plural)}`);
    return stored;
  };
  return {
    get<T extends ApiObject>(group: string, plural: string, key: string) {
      const stored = storedOf(group, plural);
      const item = stored.cache.get(key);
      return item === undefined ? undefined : (storedObject(context, stored, item) as T);
    },
    labelled<T extends ApiObject>(
      group: string,
      plural: string,
      namespace: string,
      [key, value]: readonly [string, string],
    ) {
      const stored = storedOf(group, plural);
      const scope = `${namespace}/`;
      const items =
        stored.cache.matching(scope, { of: 'label', name: key, value }) ??
        stored.cache.range(scope).filter(({ labels }) => labels?.[key] === value);
      return items.filter(({ readable }) => readable).map((item) => storedObject(context, stored, item) as T);
    },
  };
}

/**
 * The number of services whose next endpoint is remembered. For further services, all calls begin with the first
 * endpoint.
 */
const MAX_TURNS = 10_000;

/** Finds the addresses of services. Calls use the endpoints of a service in turn. */
export class ClusterServices {
  readonly #objects: ServiceObjects;
  readonly #sliceLabel: string;
  readonly #usesEndpoints: boolean;
  readonly #turns = new Map<string, number>();

  /**
   * @param usesEndpoints whether services are called at their endpoints and not at their cluster IPs
   * (`--enable-aggregator-routing`)
   */
  constructor(objects: ServiceObjects, naming: Naming, usesEndpoints: boolean) {
    this.#objects = objects;
    this.#sliceLabel = naming.key('service-name');
    this.#usesEndpoints = usesEndpoints;
  }

  /** The current service. */
  service(namespace: string, name: string): Service | undefined {
    return this.#objects.get<Service>('', 'services', `${namespace}/${name}`);
  }

  /**
   * The address of a service: its external name, its cluster IP, or one of its endpoints if the caller asks for
   * endpoints or the service has no cluster IP.
   * @throws Error with the reason if there is none
   */
  addressOf({ namespace, name, port }: ServicePortName): Address {
    const service = this.service(namespace, name);
    if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
    const { type = 'ClusterIP', clusterIP = '', externalName = '', ports } = service.spec ?? {};
    if (type === 'ExternalName') return { host: externalName, port };
    const servicePort = ports?.find((candidate) => candidate.port === port);
    if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
    const isHeadless = clusterIP === '' || clusterIP === 'None';
    if (!this.#usesEndpoints && !isHeadless) return { host: clusterIP, port };
    const [endpoint] = this.inTurn(namespace, name, servicePort.name ?? '');
    if (endpoint === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
    return { host: endpoint.host, port: endpoint.port };
  }

  /** Whether a service has endpoints, whether they are ready or not. */
  hasEndpoints(namespace: string, name: string): boolean {
    const { subsets } = this.#objects.get<Endpoints>('', 'endpoints', `${namespace}/${name}`) ?? {};
    return (subsets ?? []).length > 0 || this.#slices(namespace, name).some(({ endpoints }) => endpoints?.length);
  }

  /** The ready endpoints of a port of a service. Each call begins with the endpoint after that of the last call. */
  inTurn(namespace: string, name: string, portName: string): readonly ReadyEndpoint[] {
    const all = this.readyEndpoints(namespace, name, portName) ?? [];
    if (all.length < 2) return all;
    const key = `${namespace}/${name}:${portName}`;
    if (this.#turns.size >= MAX_TURNS && !this.#turns.has(key)) this.#turns.clear();
    const turn = (this.#turns.get(key) ?? 0) % all.length;
    this.#turns.set(key, turn + 1);
    return [...all.slice(turn), ...all.slice(0, turn)];
  }

  /**
   * The ready endpoints of a service port, from its Endpoints, or from its slices if those have none. Undefined if
   * neither exists.
   */
  readyEndpoints(namespace: string, name: string, portName: string): readonly ReadyEndpoint[] | undefined {
    const endpoints = this.#objects.get<Endpoints>('', 'endpoints', `${namespace}/${name}`);
    const classic = endpoints && ofEndpoints(endpoints, portName);
    if (classic !== undefined && classic.length > 0) return classic;
    const slices = this.#slices(namespace, name);
    return slices.length === 0 ? classic : slices.flatMap((slice) => ofSlice(slice, portName));
  }

  #slices(namespace: string, name: string): readonly EndpointSlice[] {
    return this.#objects.labelled('discovery', 'endpointslices', namespace, [this.#sliceLabel, name]);
  }
}

function ofEndpoints({ subsets }: Endpoints, portName: string): ReadyEndpoint[] {
  return (subsets ?? []).flatMap(({ addresses, ports }) => {
    const port = ports?.find(({ name = '' }) => name === portName)?.port;
    if (port === undefined) return [];
    return (addresses ?? []).map(({ ip, targetRef }) => ({ host: ip, port, targetRef }));
  });
}

/**
 * The addresses of endpoints. One address of each endpoint is used, because all its addresses lead to the same pod.
 * Unknown readiness counts as ready.
 */
function ofSlice({ endpoints, ports }: EndpointSlice, portName: string): ReadyEndpoint[] {
  const port = ports?.find(({ name = '' }) => name === portName)?.port;
  if (port === undefined) return [];
  return (endpoints ?? []).flatMap(({ addresses, conditions, targetRef }) => {
    const [host] = addresses ?? [];
    return host === undefined || conditions?.ready === false ? [] : [{ host, port, targetRef }];
  });
}
