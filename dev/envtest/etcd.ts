import { once } from 'node:events';
import { createServer } from 'node:http';
import { ConfigError } from '#base/errors/config-error.ts';
import { splitFlags } from './split-flags.ts';

const HELP = `A stand-in of etcd for tests that start one beside the API server. It keeps nothing: the objects are in memory, with
the API server. It says at its address that it is well.

  --listen-client-urls    where it listens: http://ADDRESS:PORT
  --unsafe-no-fsync       and all other flags of etcd mean nothing here; it says so once
`;

/**
 * Replaces etcd for programs that start etcd before the API server and check its health.
 *
 * @throws ConfigError if there is no address on which it can listen
 */
export async function runEtcd(argv: readonly string[], until: Promise<void>): Promise<void> {
  if (argv.some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(HELP);
    return;
  }
  const flags = splitFlags(argv);
  const [address = ''] = (flags.find(({ name }) => name === 'listen-client-urls')?.value ?? '').split(',');
  const url = URL.parse(address);
  if (url?.protocol !== 'http:')
    throw new ConfigError(`flag --listen-client-urls must be http://ADDRESS:PORT, not ${JSON.stringify(address)}`);
  const others = flags.map(({ name }) => name).filter((name) => name !== 'listen-client-urls');
  if (others.length > 0)
    process.stderr.write(`no etcd runs here: these flags mean nothing: ${[...new Set(others)].join(', ')}\n`);
  const server = createServer((request, response) => {
    const isHealth = request.url?.split('?')[0] === '/health';
    response.writeHead(isHealth ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(isHealth ? '{"health":"true","reason":""}' : '{}');
  });
  server.listen({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) });
  await Promise.race([once(server, 'listening'), once(server, 'error').then(([error]) => Promise.reject(error))]);
  await until;
  server.close();
  server.closeAllConnections();
}
