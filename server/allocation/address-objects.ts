import { randomUUID } from 'node:crypto';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import { clusterIpClaims, type Owner } from '#schema/claims/claim.ts';
import type { IPAddress } from '#schema/generated/networking.v1.ts';
import { familyOfText } from '#schema/validation/ip.ts';

const PARENT = 'services';

/**
 * The IPAddress objects that show the cluster IPs of services, in the releases that have such objects. In all releases,
 * claims decide. An object is written and removed in the transaction of its claim. If a client made an object, services
 * do not get its address.
 */
export class AddressObjects {
  /** The prefix of the keys of all objects. */
  readonly prefix: string;
  readonly #claims: string;
  readonly #naming: Naming;

  constructor(etcdPrefix: string, naming: Naming) {
    this.prefix = `${etcdPrefix}/networking/ipaddresses/`;
    this.#claims = clusterIpClaims(etcdPrefix);
    this.#naming = naming;
  }

  /** The key of the object for a claim; undefined for claims of ports, which have no object. */
  keyOf(claim: string): string | undefined {
    return claim.startsWith(this.#claims) ? this.prefix + claim.slice(this.#claims.length) : undefined;
  }

  /** The bytes of the object for an address of a service. */
  value(key: string, { namespace, name }: Owner): Buffer {
    const address = key.slice(this.prefix.length);
    const labels = {
      [this.#naming.key('ipaddress/ip-family')]: familyOfText(address) ?? '',
      [this.#naming.key('ipaddress/managed-by')]: this.#naming.domain('ipallocator'),
    };
    const creationTimestamp = `${new Date().toISOString().slice(0, -5)}Z`;
    const object = {
      kind: 'IPAddress',
      apiVersion: this.#naming.apiVersion('networking', 'v1'),
      metadata: { name: address, uid: randomUUID(), creationTimestamp, labels },
      spec: { parentRef: { resource: PARENT, namespace, name } },
    } satisfies IPAddress & Record<string, unknown>;
    return Buffer.from(stringify(object));
  }

  /** The service in an object, as `namespace/name`; undefined if the object names none or was made by a client. */
  serviceOf(value: Buffer): string | undefined {
    const { metadata, spec } = JSON.parse(value.toString()) as IPAddress;
    const managed = metadata.labels?.[this.#naming.key('ipaddress/managed-by')] === this.#naming.domain('ipallocator');
    const { group = '', resource, namespace, name } = (spec as IPAddress['spec'] | undefined)?.parentRef ?? {};
    return managed && group === '' && resource === PARENT ? `${namespace}/${name}` : undefined;
  }

  /** Whether an object shows that a service has its address. */
  shows(value: Buffer, { namespace, name }: Owner): boolean {
    return this.serviceOf(value) === `${namespace}/${name}`;
  }
}
