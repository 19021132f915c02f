import { canonicalIp, parseCidr, parseIp } from './ip.ts';

/** A number of several digits that begins with a zero, in an IPv4 address or in the length of a prefix. */
const LEADING_ZERO = /(^|[.:/])0\d+($|[./])/;

/** Problems of a text that must be an address in the one form that its family writes: a name of an address. */
export function canonicalIpText(text: string): string[] {
  const address = parseIp(text);
  if (address === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  if (text.includes('.') && LEADING_ZERO.test(text)) return ['must not have leading 0s'];
  const canonical = canonicalIp(address);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** Problems of a text that must be a network in the one form that its family writes. */
export function canonicalCidrText(text: string): string[] {
  const range = parseCidr(text);
  if (range === undefined) return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  const ofLength = text.slice(text.indexOf('/'));
  if (LEADING_ZERO.test(ofLength) || (text.includes('.') && LEADING_ZERO.test(text)))
    return ['must not have leading 0s in IP or prefix length'];
  const network = canonicalIp(range.network);
  if (network !== canonicalIp(range.address)) return ['must not have bits set beyond the prefix length'];
  const canonical = `${network}/${range.bits}`;
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}
