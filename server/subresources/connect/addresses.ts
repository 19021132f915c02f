import { BlockList, isIP } from 'node:net';

/**
 * Addresses to which the server opens no connection for a client: this machine and its link-local network, the metadata
 * services of clouds, and all IPv6 addresses that embed an IPv4 address.
 */
const REFUSED: Readonly<Record<'ipv4' | 'ipv6', readonly (readonly [network: string, bits: number])[]>> = {
  ipv4: [
    // This network, loopback, link-local with its metadata servers, multicast and all reserved addresses.
    ...([
      ['0.0.0.0', 8],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['224.0.0.0', 4],
      ['240.0.0.0', 4],
    ] as const),
    // Metadata servers at other addresses: those of protocols, and those of three cloud providers.
    ...([
      ['192.0.0.0', 24],
      ['100.100.100.200', 32],
      ['168.63.129.16', 32],
    ] as const),
  ],
  ipv6: [
    // Unspecified, loopback, and IPv4-compatible addresses; IPv4-mapped addresses in two forms.
    ...([
      ['::', 96],
      ['::ffff:0:0', 96],
      ['::ffff:0:0:0', 96],
    ] as const),
    // Translated addresses (global, and within a site), Teredo and 6to4.
    ...([
      ['64:ff9b::', 96],
      ['64:ff9b:1::', 48],
      ['2001::', 32],
      ['2002::', 16],
    ] as const),
    // Link-local, site-local, multicast.
    ...([
      ['fe80::', 10],
      ['fec0::', 10],
      ['ff00::', 8],
    ] as const),
    // Metadata servers of four cloud providers.
    ...([
      ['fd00:ec2::', 32],
      ['fd20:ce::254', 128],
      ['fd00:c1::a9fe:a9fe', 128],
      ['fd00:42::42', 128],
    ] as const),
  ],
};

function listOf(family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, bits] of REFUSED[family]) list.addSubnet(network, bits, family);
  return list;
}

const [OF_IPV4, OF_IPV6] = [listOf('ipv4'), listOf('ipv6')];

/** Whether the server may connect clients with an IP address. */
export type AddressPolicy = (address: string) => boolean;

/** Refuses texts that are not addresses, addresses with a zone, and all of {@link REFUSED} in every spelling. */
export const refuseOwnAddresses: AddressPolicy = (address) => {
  const family = isIP(address);
  if (family === 4) return !OF_IPV4.check(address, 'ipv4');
  return family === 6 && !address.includes('%') && !OF_IPV6.check(address, 'ipv6');
};
