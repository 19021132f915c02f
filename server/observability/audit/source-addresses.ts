import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address in its usual form. An IPv4 address in IPv6 form becomes IPv4. Undefined for any other text. */
function address(text: string): string | undefined {
  const trimmed = text.trim();
  if (isIPv4(trimmed)) return trimmed;
  if (!isIPv6(trimmed)) return undefined;
  const parsed = ipaddr.process(trimmed);
  return parsed instanceof ipaddr.IPv6 ? parsed.toRFC5952String() : parsed.toString();
}

/**
 * The origin of a request: the addresses from proxies (`X-Forwarded-For`, then `X-Real-Ip`), and last the peer of the
 * connection. A client can invent all of them except the last.
 */
export function sourceAddresses(header: (name: string) => string | undefined, remote: string): string[] {
  const found = (header('x-forwarded-for') ?? '').split(',').flatMap((part) => address(part) ?? []);
  const real = address(header('x-real-ip') ?? '');
  if (real !== undefined && !found.includes(real)) found.push(real);
  const peer = address(remote);
  if (peer !== undefined && found.at(-1) !== peer) found.push(peer);
  return found;
}
