import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { BoundedCache } from '#base/collections/bounded-cache.ts';

/** The longest chain that is parsed. */
const LONGEST = 10;

/** The number of chains that are remembered after their connections have ended. */
const KEPT = 1000;

/**
 * The largest chain that is remembered, in bytes. Any client can send chains of 100 KB before the server trusts any
 * certificate of them.
 */
const LARGEST_KEPT = 8 * 1024;

const NONE: readonly Buffer[] = [];

/** The certificates of a connection do not change while it is open. */
const ofSocket = new WeakMap<object, readonly Buffer[]>();

const kept = new BoundedCache<string, readonly Buffer[]>(KEPT);

/**
 * The certificates of a connection's client as DER, the client's own first. Empty if it has none. All connections of a
 * client share one array. So results that are remembered for the array (the user, its memory) are shared too.
 */
export function peerCertificates(socket: Socket): readonly Buffer[] {
  let known = ofSocket.get(socket);
  if (known === undefined) ofSocket.set(socket, (known = shared(chainOf(socket as TLSSocket))));
  return known;
}

function chainOf(socket: TLSSocket): readonly Buffer[] {
  if (typeof socket.getPeerCertificate !== 'function') return NONE;
  const chain: Buffer[] = [];
  let certificate: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw !== undefined && chain.length <= LONGEST) {
    chain.push(certificate.raw);
    certificate = certificate.issuerCertificate === certificate ? undefined : certificate.issuerCertificate;
  }
  return chain;
}

function shared(chain: readonly Buffer[]): readonly Buffer[] {
  if (chain.length === 0) return NONE;
  if (chain.reduce((sum, { length }) => sum + length, 0) > LARGEST_KEPT) return chain;
  const hash = createHash('sha256');
  // The key includes the lengths, because the same bytes with different boundaries are another chain.
  for (const certificate of chain) hash.update(`${certificate.length} `).update(certificate);
  const key = hash.digest('base64');
  const known = kept.get(key);
  if (known === undefined) kept.set(key, chain);
  return known ?? chain;
}
