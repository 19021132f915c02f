import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { AddressRanges } from '#program/flags/address-ranges.ts';

/** The signature of version 2. No TLS handshake starts with it. */
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** The size of the fixed part: signature, version and command, family and protocol, length of the rest. */
const HEAD_BYTES = 16;

/** The largest length of the rest. Addresses take at most 36 bytes, and further data about a connection is small. */
const MAX_BYTES = 4096;

/** The time limit for a header, in milliseconds. Proxies send it first. */
const HEADER_TIMEOUT = 10_000;

/** A complete header: its length, and its address. Undefined means the sender itself. */
export interface ProxyHeader {
  readonly length: number;
  readonly source: string | undefined;
}

/**
 * Reads the header of the PROXY protocol, version 2, at the beginning of a connection (haproxy.org, "The PROXY
 * protocol"). Returns 'none' if the connection does not begin with a header, 'more' if the header is incomplete, and
 * 'bad' if it is malformed.
 */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | 'none' | 'more' | 'bad' {
  const known = Math.min(bytes.length, SIGNATURE.length);
  if (!bytes.subarray(0, known).equals(SIGNATURE.subarray(0, known))) return 'none';
  if (bytes.length < HEAD_BYTES) return 'more';
  const [command, family, length] = [bytes[12]!, bytes[13]!, HEAD_BYTES + bytes.readUInt16BE(14)];
  if (command >> 4 !== 2 || length > MAX_BYTES) return 'bad';
  if (bytes.length < length) return 'more';
  // LOCAL means a connection of the proxy itself, such as a health check.
  if ((command & 0xf) === 0) return { length, source: undefined };
  if ((command & 0xf) !== 1) return 'bad';
  const addressBytes = ADDRESS_BYTES[family >> 4];
  // A connection without IP has no address.
  if (addressBytes === undefined) return { length, source: undefined };
  if (length < HEAD_BYTES + 2 * addressBytes + 4) return 'bad';
  return { length, source: addressText(bytes.subarray(HEAD_BYTES, HEAD_BYTES + addressBytes)) };
}

/** Bytes of one address, by family. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 4, 2: 16 };

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(':');
  // The address is written in its shortest form, as sockets report it.
  return new URL(`http://[${groups}]`).hostname.slice(1, -1);
}

/** The original client address, if a trusted proxy named it. */
const sources = new WeakMap<Socket, string>();

/** The address of the client of a connection. It is the address from a trusted proxy, or otherwise that of the peer. */
export function clientAddress(socket: Socket): string {
  return sources.get(socket) ?? socket.remoteAddress ?? '';
}

/**
 * Accepts a header of the PROXY protocol at the start of connections from trusted addresses. A connection without it
 * belongs to the sender itself. From all other addresses, such a header is an error, like any other bytes that are not
 * TLS.
 */
export function acceptProxyHeaders(server: Server, trusted: AddressRanges): void {
  const served = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  const serve = (socket: Socket) => {
    for (const listener of served) listener.call(server, socket);
  };
  /** The addresses by the two ends of the connection, because a TLS socket does not expose the socket under it. */
  const announced = new Map<string, string>();
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!trusted.contains(socket.remoteAddress ?? '')) {
      serve(socket);
      return;
    }
    const key = keyOf(socket);
    socket.once('close', () => announced.delete(key));
    readHeader(socket, (source) => {
      if (source !== undefined) announced.set(key, source);
      serve(socket);
    });
  });
  server.prependListener('secureConnection', (socket) => {
    const source = announced.get(keyOf(socket));
    if (source !== undefined) sources.set(socket, source);
  });
}

function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Removes the header from a connection if there is one. Ends the connection if the header is malformed or late. */
function readHeader(socket: Socket, done: (source: string | undefined) => void): void {
  let read: Buffer = Buffer.alloc(0);
  const end = () => socket.destroy();
  const timer = setTimeout(end, HEADER_TIMEOUT).unref();
  const settle = (rest: Buffer, source: string | undefined) => {
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('error', end);
    socket.off('end', end);
    if (rest.length > 0) socket.unshift(rest);
    done(source);
  };
  const look = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    read = read.length === 0 ? chunk : Buffer.concat([read, chunk]);
    const header = parseProxyHeader(read);
    if (header === 'bad') end();
    else if (header === 'none') settle(read, undefined);
    else if (header !== 'more') settle(read.subarray(header.length), header.source);
  };
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', end);
  socket.on('end', end);
  socket.on('readable', look);
}
