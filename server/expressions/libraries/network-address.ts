import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LibraryValue } from '../cel-value.ts';

/** The longest text of an address; a longer one is not an address. */
const MAX_LENGTH = 100;

/** An address of either family, without a zone. */
export class NetworkAddress extends LibraryValue {
  readonly kind = 'ip';
  readonly family: 4 | 6;
  /** Its 32 or 128 bits as a number. */
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  /** How many bits addresses of this family have. */
  get width(): number {
    return this.family === 4 ? 32 : 128;
  }

  /** The first `count` bits, as a number. */
  first(count: number): bigint {
    return this.bits >> BigInt(this.width - count);
  }

  equals(other: LibraryValue): boolean {
    return other instanceof NetworkAddress && other.family === this.family && other.bits === this.bits;
  }

  override toString(): string {
    const bytes = Array.from({ length: this.width / 8 }, (_, i) =>
      Number((this.bits >> BigInt(this.width - 8 * (i + 1))) & 0xffn),
    );
    return this.family === 4 ? bytes.join('.') : new ipaddr.IPv6(bytes).toRFC5952String();
  }

  get isUnspecified(): boolean {
    return this.bits === 0n;
  }

  get isLoopback(): boolean {
    return this.family === 4 ? this.first(8) === 127n : this.bits === 1n;
  }

  get isLinkLocalMulticast(): boolean {
    return this.family === 4 ? this.first(24) === 0xe00000n : (this.first(16) & 0xff0fn) === 0xff02n;
  }

  get isLinkLocalUnicast(): boolean {
    return this.family === 4 ? this.first(16) === 0xa9fen : this.first(10) === 0xfe80n >> 6n;
  }

  get #isMulticast(): boolean {
    return this.family === 4 ? this.first(4) === 0xen : this.first(8) === 0xffn;
  }

  get isGlobalUnicast(): boolean {
    if (this.family === 4 && this.bits === 0xffffffffn) return false;
    return !(this.isUnspecified || this.isLoopback || this.#isMulticast || this.isLinkLocalUnicast);
  }
}

/** A range of addresses that begin with the same bits. The address of the range keeps all bits of its written form. */
export class AddressRange extends LibraryValue {
  readonly kind = 'cidr';
  readonly address: NetworkAddress;
  readonly length: number;

  constructor(address: NetworkAddress, length: number) {
    super();
    this.address = address;
    this.length = length;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof AddressRange && other.length === this.length && other.address.equals(this.address);
  }

  override toString(): string {
    return `${this.address}/${this.length}`;
  }

  contains(address: NetworkAddress): boolean {
    return address.family === this.address.family && address.first(this.length) === this.address.first(this.length);
  }

  containsRange(range: AddressRange): boolean {
    return this.length <= range.length && this.contains(range.address);
  }

  /** The same range with its first address. */
  masked(): AddressRange {
    const { family, width } = this.address;
    const bits = this.address.first(this.length) << BigInt(width - this.length);
    return new AddressRange(new NetworkAddress(family, bits), this.length);
  }
}

/** The end of an IPv6 address whose last four bytes have the form of IPv4. */
const DOTTED = /[0-9]+\.[0-9.]+$/;

function inGroups(dotted: string): string {
  const [a, b, c, d] = dotted.split('.').map(Number) as [number, number, number, number];
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** The address in a text, or the error of the text. */
export function readAddress(text: string): NetworkAddress | string {
  if (text.length <= MAX_LENGTH && isIPv4(text)) return new NetworkAddress(4, bitsOf(ipaddr.IPv4.parse(text)));
  if (text.length > MAX_LENGTH || !isIPv6(text)) {
    const quoted = JSON.stringify(text);
    return `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`;
  }
  if (text.includes('%')) return `IP address ${JSON.stringify(text)} with zone value is not allowed`;
  const address = ipaddr.IPv6.parse(text.replace(DOTTED, inGroups));
  if (address.isIPv4MappedAddress()) return `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`;
  return new NetworkAddress(6, bitsOf(address));
}

/** The range of addresses in a text, or the error of the text. */
export function readRange(text: string): AddressRange | string {
  const slash = text.lastIndexOf('/');
  const refused = 'network address parse error during conversion from string: ';
  const quoted = JSON.stringify(text);
  if (slash < 0 || text.length > MAX_LENGTH) return `${refused}netip.ParsePrefix(${quoted}): no '/'`;
  const [host, digits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (isIPv6(host) && host.includes('%')) {
    return `${refused}netip.ParsePrefix(${quoted}): IPv6 zones cannot be present in a prefix`;
  }
  const address = readAddress(host);
  if (typeof address === 'string') {
    if (isIPv6(host)) return `${refused}IPv4-mapped IPv6 address ${quoted} is not allowed`;
    return `${refused}netip.ParsePrefix(${quoted}): ParseAddr(${JSON.stringify(host)}): unable to parse IP`;
  }
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(digits)) {
    return `${refused}netip.ParsePrefix(${quoted}): bad bits after slash: ${JSON.stringify(digits)}`;
  }
  const length = Number(digits);
  if (length > address.width) return `${refused}netip.ParsePrefix(${quoted}): prefix length out of range`;
  return new AddressRange(address, length);
}

function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return address.toByteArray().reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}
