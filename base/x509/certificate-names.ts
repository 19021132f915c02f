import { isIP } from 'node:net';

/** The prefix of each kind of name in the list that the system prints. */
const KINDS = { dns: 'DNS:', ip: 'IP Address:' };

/**
 * Why a certificate is not valid for a host, in the words of the field. The names of the certificate are a list such as
 * `DNS:a, IP Address:b`.
 */
export function whyNotFor(host: string, names: string): string {
  const wanted = host.replace(/\.$/, '');
  const isAddress = isIP(wanted) !== 0;
  const kind = isAddress ? KINDS.ip : KINDS.dns;
  const listed = names.split(', ').flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
  if (listed.length > 0) return `certificate is valid for ${listed.join(', ')}, not ${wanted}`;
  return isAddress
    ? `cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${wanted}`;
}
