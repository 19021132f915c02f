import ipaddr from 'ipaddr.js';
import { type Cidr, canonicalIp, type IpAddress, type IpFamily, parseCidr } from '#schema/validation/ip.ts';

/** The largest number of addresses that are allocated from a range. An IPv6 range has this number. */
const MAX_SIZE = 2 ** 16;
const MIN_RESERVED = 16;
const MAX_RESERVED = 256;

/** The addresses of a network for services: all except the first one and, in IPv4, the last one. */
export class AddressRange {
  readonly family: IpFamily;
  /** The network as text: `10.0.0.0/24`. */
  readonly text: string;
  /** The number of addresses that can be allocated. */
  readonly size: number;
  readonly #base: bigint;
  readonly #width: number;

  constructor(cidr: Cidr) {
    const bytes = cidr.network.toByteArray();
    this.family = cidr.family;
    this.text = `${canonicalIp(cidr.network)}/${cidr.bits}`;
    this.#width = bytes.length;
    this.#base = bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
    const hostBits = bytes.length * 8 - cidr.bits;
    const ends = cidr.family === 'IPv4' ? 2 : 1;
    const all = cidr.family === 'IPv4' ? 2 ** hostBits : Math.min(2 ** hostBits, MAX_SIZE);
    this.size = Math.max(0, all - ends);
  }

  /** Reads a network; throws TypeError for an invalid text. */
  static parse(text: string): AddressRange {
    const cidr = parseCidr(text);
    if (cidr === undefined) throw new TypeError(`not a network: ${text}`);
    return new AddressRange(cidr);
  }

  /** The network's own address, which the server never gives out. */
  get base(): string {
    return this.#spell(this.#base);
  }

  /** The address at a position from 0 to `size - 1`. */
  at(index: number): string {
    return this.#spell(this.#base + 1n + BigInt(index));
  }

  /** The position of an address; undefined if it cannot be allocated. */
  indexOf(address: IpAddress): number | undefined {
    const bytes = address.toByteArray();
    if (bytes.length !== this.#width) return undefined;
    const value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    const index = value - this.#base - 1n;
    return index >= 0n && index < BigInt(this.size) ? Number(index) : undefined;
  }

  /**
   * The number of addresses at the start of the range that are reserved for clients that ask for a certain address. It
   * is a sixteenth of the range, at least 16 and at most 256. Small ranges reserve none.
   */
  get reserved(): number {
    if (this.size < MIN_RESERVED) return 0;
    return Math.min(MAX_RESERVED, Math.max(MIN_RESERVED, Math.floor(this.size / 16)));
  }

  #spell(value: bigint): string {
    const bytes: number[] = [];
    for (let rest = value, i = 0; i < this.#width; i++, rest /= 256n) bytes.unshift(Number(rest % 256n));
    return canonicalIp(ipaddr.fromByteArray(bytes));
  }
}
