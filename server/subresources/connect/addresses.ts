import { BlockList, isIP } from 'node:net';

/** Addresses that mean this machine or its own link: nothing on behalf of others goes there. */
const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8);
OWN.addAddress('0.0.0.0');
OWN.addSubnet('169.254.0.0', 16);
OWN.addSubnet('224.0.0.0', 24);
OWN.addAddress('::1', 'ipv6');
OWN.addAddress('::', 'ipv6');
OWN.addSubnet('fe80::', 10, 'ipv6');
OWN.addSubnet('ff01::', 16, 'ipv6');
OWN.addSubnet('ff02::', 16, 'ipv6');

/** Whether clients may be connected with an IP address. */
export type AddressPolicy = (address: string) => boolean;

/** Refuses what is no address, loopback, unspecified, link-local and what stays on one link. */
export const refuseOwnAddresses: AddressPolicy = (address) => {
  const family = isIP(address);
  return family !== 0 && !OWN.check(address, family === 6 ? 'ipv6' : 'ipv4');
};
