import net, { isIP, isIPv6, type Server, type Socket } from 'node:net';
import type { TextOutput } from '#program/process/standard-output.ts';
import { CommandError } from '../../framework/errors.ts';
import type { PortPair } from './ports.ts';

/**
 * The addresses that the values of `--address` mean, without duplicates.
 * @throws CommandError for a value that is not an address
 */
export function parseAddresses(texts: readonly string[]): readonly string[] {
  const addresses = new Set<string>();
  for (const text of texts) {
    if (text === 'localhost') for (const one of ['127.0.0.1', '::1']) addresses.add(one);
    else if (isIP(text) === 0) throw new CommandError(`${text} is not a valid IP`);
    else addresses.add(text);
  }
  if (addresses.size === 0) throw new CommandError('you must specify at least 1 address');
  return [...addresses].sort();
}

/** The usual texts of errors of listening, by their codes. */
const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'address already in use'],
  ['EADDRNOTAVAIL', 'cannot assign requested address'],
  ['EACCES', 'permission denied'],
]);

/**
 * Listens on every address for every port, reports the ports, and passes connections to the caller. Skips an unusable
 * address if another address of the port works.
 * @throws CommandError if no address can be used for a port
 */
export async function listen(
  pairs: readonly PortPair[],
  addresses: readonly string[],
  { out, err }: { readonly out: TextOutput; readonly err: TextOutput },
  onConnection: (socket: Socket, pair: PortPair) => void,
): Promise<readonly Server[]> {
  const servers: Server[] = [];
  for (const pair of pairs) {
    const mistakes: string[] = [];
    // If the system chooses the port, all addresses use the same port.
    let { local } = pair;
    for (const address of addresses) {
      const shown = isIPv6(address) ? `[${address}]` : address;
      const server = net.createServer({ allowHalfOpen: true }, (socket) => onConnection(socket, { ...pair, local }));
      try {
        await listening(server, local, address);
        local = (server.address() as net.AddressInfo).port;
        servers.push(server);
        out.write(`Forwarding from ${shown}:${local} -> ${pair.remote}\n`);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const family = isIPv6(address) ? 'tcp6' : 'tcp4';
        mistakes.push(
          `unable to create listener: Error listen ${family} ${shown}:${local}: bind: ${REASONS.get(code) ?? message}`,
        );
      }
    }
    if (mistakes.length === addresses.length)
      err.write(
        `Unable to listen on port ${pair.local}: Listeners failed to create with the following errors: [${mistakes.join(' ')}]\n`,
      );
  }
  if (servers.length > 0) return servers;
  const shown = pairs.map(({ local, remote }) => `{${local} ${remote}}`);
  throw new CommandError(`unable to listen on any of the requested ports: [${shown.join(' ')}]`);
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, ipv6Only: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
