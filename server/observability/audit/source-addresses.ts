import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address in its usual form, one of IPv4 in IPv6 as IPv4; undefined for anything else. */
function address(text: string): string | undefined {
  const trimmed = text.trim();
  if (isIPv4(trimmed)) return trimmed;
  if (!isIPv6(trimmed)) return undefined;
  const parsed = ipaddr.process(trimmed);
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}

/**
 * Where a request comes from: what proxies say (`X-Forwarded-For`, then `X-Real-Ip`), last the other end of the
 * connection. All but the last may be made up by the client.
 */
export function sourceAddresses(header: (name: string) => string | undefined, remote: string): string[] {
  const found = (header('x-forwarded-for') ?? '').split(',').flatMap((part) => address(part) ?? []);
  const real = address(header('x-real-ip') ?? '');
  if (real !== undefined && !found.includes(real)) found.push(real);
  const peer = address(remote);
  if (peer !== undefined && found.at(-1) !== peer) found.push(peer);
  return found;
}
