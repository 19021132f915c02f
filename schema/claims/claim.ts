/** The object that holds a claim. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * The prefix of the keys of claims on cluster IPs. The canonical address follows it.
 *
 * @example clusterIpClaims('/registry') // => '/registry/claims/cluster-ips/'
 */
export function clusterIpClaims(etcdPrefix: string): string {
  return `${etcdPrefix}/claims/cluster-ips/`;
}

/**
 * The prefix of the keys of claims on node ports. The number of the port follows it.
 *
 * @example nodePortClaims('/registry') // => '/registry/claims/node-ports/'
 */
export function nodePortClaims(etcdPrefix: string): string {
  return `${etcdPrefix}/claims/node-ports/`;
}

/** The value that is stored for a claim: its owner as JSON. */
export function claimValue({ namespace, name, uid }: Owner): Buffer {
  return Buffer.from(JSON.stringify({ namespace, name, uid }));
}

/** The owner that a stored claim names; undefined if the value names none. */
export function claimOwner(value: Buffer): Owner | undefined {
  try {
    const owner = JSON.parse(value.toString()) as Partial<Owner> | null;
    if (typeof owner?.namespace !== 'string' || typeof owner.name !== 'string') return undefined;
    return { namespace: owner.namespace, name: owner.name, uid: owner.uid ?? '' };
  } catch {
    return undefined;
  }
}

/** Whether a claim belongs to this owner; false for a claim without an owner. */
export function sameOwner(a: Owner | undefined, b: Owner): boolean {
  return a?.namespace === b.namespace && a.name === b.name && a.uid === b.uid;
}
