import { BlockList, isIP } from 'node:net';
import { ConfigError } from '#base/errors/config-error.ts';

/** A set of addresses. */
export interface AddressRanges {
  contains(address: string): boolean;
}

/**
 * Reads addresses and networks like `192.0.2.1` and `10.0.0.0/8`.
 *
 * @throws ConfigError that names the flag.
 * @param flag the name of the flag in messages, with dashes
 */
export function readAddressRanges(flag: string, texts: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const text of texts) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const family = isIP(address);
    const longest = family === 4 ? 32 : 128;
    if (family === 0 || Number(bits ?? longest) > longest)
      throw new ConfigError(
        `invalid value for flag ${flag}: ${JSON.stringify(text)} is neither an address nor a network like 10.0.0.0/8`,
      );
    list.addSubnet(address, Number(bits ?? longest), family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    contains(address) {
      const family = isIP(address);
      return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}
