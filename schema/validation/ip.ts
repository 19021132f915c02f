import ipaddr from 'ipaddr.js';
import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';

/** An address. An IPv4 address in IPv6 form (`::ffff:1.2.3.4`) counts as IPv4. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

export type IpFamily = 'IPv4' | 'IPv6';

/** A range of addresses. `address` is the written address. `network` has only its first `bits` bits. */
export interface Cidr {
  readonly address: IpAddress;
  readonly network: IpAddress;
  readonly bits: number;
  readonly family: IpFamily;
}

/** IPv6 addresses are shorter than this, even if all octets of their IPv4 part have leading zeros. */
const MAX_LENGTH = 200;
const OCTETS = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Parses an address: four decimal numbers (leading zeros are allowed and mean nothing), or IPv6 without a zone.
 * Undefined for any other text.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (OCTETS.test(text)) return parseOctets(text.split('.'));
  if (text.length > MAX_LENGTH || !/^[0-9a-fA-F:]+(\d*\.\d+\.\d+\.\d+)?$/.test(text) || !ipaddr.IPv6.isValid(text))
    return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function parseOctets(parts: string[]): ipaddr.IPv4 | undefined {
  const octets = parts.map(Number);
  return octets.every((octet) => octet <= 255) ? new ipaddr.IPv4(octets) : undefined;
}

/** Parses `10.0.0.0/8` or `fd00::/64`; undefined for any other text. */
export function parseCidr(text: string): Cidr | undefined {
  const [host, length, ...rest] = text.split('/');
  if (host === undefined || length === undefined || rest.length > 0 || !/^\d{1,5}$/.test(length)) return undefined;
  const address = parseIp(host);
  const bits = Number(length);
  if (address === undefined) return undefined;
  // A range in IPv6 form keeps its 128 bits even if its address is an IPv4 address.
  const whole =
    host.includes(':') && address.kind() === 'ipv4' ? (address as ipaddr.IPv4).toIPv4MappedAddress() : address;
  if (bits > (whole.kind() === 'ipv4' ? 32 : 128)) return undefined;
  return { address: whole, network: masked(whole, bits), bits, family: familyOf(whole) };
}

function masked(address: IpAddress, bits: number): IpAddress {
  const bytes = address
    .toByteArray()
    .map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))) & 0xff);
  return ipaddr.fromByteArray(bytes);
}

export function familyOf(address: IpAddress): IpFamily {
  return address.kind() === 'ipv4' ? 'IPv4' : 'IPv6';
}

/** The family of the address in a text; undefined if the text is not an address. */
export function familyOfText(text: string): IpFamily | undefined {
  const address = parseIp(text);
  return address === undefined ? undefined : familyOf(address);
}

/** The usual spelling of an address: `fd00::1`, `10.0.0.10`. */
export function canonicalIp(address: IpAddress): string {
  return address.kind() === 'ipv4' ? address.toString() : (address as ipaddr.IPv6).toRFC5952String();
}

/** Whether a range contains an address of the same family. */
export function contains(range: Cidr, address: IpAddress): boolean {
  return address.kind() === range.network.kind() && address.match(range.network, range.bits);
}

/** Whether a range lies inside another, or is the same. */
export function isInside(inner: Cidr, outer: Cidr): boolean {
  return inner.bits >= outer.bits && contains(outer, inner.network);
}

/** Problems of a text as an address of either family. */
export function ipText(value: string): string[] {
  return parseIp(value) === undefined ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : [];
}

/** Problems of a text as a range of either family. */
export function cidrText(value: string): string[] {
  return parseCidr(value) === undefined ? ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'] : [];
}

export function validateIpv4(value: string, path: FieldPath): FieldError[] {
  return familyOfText(value) === 'IPv4' ? [] : [invalidValue(path, value, 'must be a valid IPv4 address')];
}

export function validateIpv6(value: string, path: FieldPath): FieldError[] {
  return familyOfText(value) === 'IPv6' ? [] : [invalidValue(path, value, 'must be a valid IPv6 address')];
}

/**
 * Whether an address can be reached from other machines. It must not be unspecified, loopback, link-local or local
 * multicast.
 */
export function validateReachableIp(value: string, path: FieldPath): FieldError[] {
  const address = parseIp(value);
  if (address === undefined) return [invalidValue(path, value, 'must be a valid IP address')];
  return RESERVED.filter(({ ranges }) => ranges.some((range) => contains(range, address))).map(({ detail }) =>
    invalidValue(path, value, detail.replace('%', canonicalIp(address))),
  );
}

function range(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new TypeError(`not a range of addresses: ${text}`);
  return cidr;
}

const RESERVED = [
  { detail: 'may not be unspecified (%)', ranges: [range('0.0.0.0/32'), range('::/128')] },
  {
    detail: 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ranges: [range('127.0.0.0/8'), range('::1/128')],
  },
  {
    detail: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ranges: [range('169.254.0.0/16'), range('fe80::/10')],
  },
  {
    detail: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ranges: [range('224.0.0.0/24'), ...[...'0123456789abcdef'].map((flags) => range(`ff${flags}2::/16`))],
  },
];
