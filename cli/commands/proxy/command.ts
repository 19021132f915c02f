import { rmSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { reasonOf } from '../../framework/file-words.ts';
import { filterOf } from './filter.ts';
import { proxyServer } from './proxy-server.ts';

export const proxy: Command = {
  name: 'proxy',
  short: 'Run a proxy to the API server',
  long: 'Listens on this machine and passes requests on to the server with your credentials, until it is interrupted. Web pages of other sites cannot use the proxy, because it accepts only the hosts of --accept-hosts; every user of this machine can use it.',
  examples: [
    '# Serve the whole API on port 8001',
    '{} proxy',
    '',
    '# Choose a free port, and print it',
    '{} proxy --port=0',
    '',
    '# Serve a part of the API, and local files',
    '{} proxy --www=./files --www-prefix=/static/ --api-prefix=/api/',
    '',
    '# Serve only users who may open a socket file',
    '{} proxy --unix-socket=/tmp/api.sock',
  ].join('\n'),
  usage: '[--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]',
  flags: [
    {
      name: 'accept-hosts',
      type: 'string',
      default: '^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$',
      help: 'Hosts that requests may name, as regular expressions separated by commas',
    },
    {
      name: 'accept-paths',
      type: 'string',
      default: '^.*',
      help: 'Paths that are allowed, as regular expressions separated by commas',
    },
    { name: 'address', type: 'string', default: '127.0.0.1', help: 'Address to listen on' },
    { name: 'api-prefix', type: 'string', default: '/', help: 'Path at which the proxy serves the API' },
    {
      name: 'append-server-path',
      type: 'bool',
      help: "Add the path of the server's address before the path of each request",
    },
    {
      name: 'disable-filter',
      type: 'bool',
      help: 'Accept all requests without a check, also from web pages of other sites',
    },
    {
      name: 'keepalive',
      type: 'duration',
      help: 'How long to keep idle connections open; 0 uses the default of Node.js',
    },
    { name: 'port', short: 'p', type: 'int', default: 8001, help: 'Port to listen on; 0 chooses a free port' },
    {
      name: 'reject-methods',
      type: 'string',
      default: '^$',
      help: 'Methods that are refused, as regular expressions separated by commas',
    },
    {
      name: 'reject-paths',
      type: 'string',
      default: '^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach',
      help: 'Paths that are refused even if they are allowed, as regular expressions separated by commas',
    },
    { name: 'unix-socket', short: 'u', type: 'string', help: 'Path of a Unix socket to listen on instead of a port' },
    { name: 'www', short: 'w', type: 'string', help: 'Folder whose files the proxy serves too' },
    {
      name: 'www-prefix',
      short: 'P',
      type: 'string',
      default: '/static/',
      help: 'Path at which the proxy serves the files',
    },
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, session, io } = invocation;
  const filter = filterOf(flags);
  const folder = flags.text('www');
  if (folder !== '') warnOf(folder, invocation);
  const { connection, requestTimeoutMs: timeoutMs } = session.settings;
  const server = proxyServer({
    target: { caller: await session.caller(), timeoutMs },
    filter,
    apiPrefix: slashed(flags.text('api-prefix')),
    serverPath: flags.bool('append-server-path') ? pathOf(connection.cluster.server) : '',
    files: folder === '' ? undefined : { prefix: slashed(flags.text('www-prefix')), folder },
  });
  // These include connections that have changed to another protocol.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const keepAlive = flags.duration('keepalive');
  if (keepAlive > 0) server.keepAliveTimeout = keepAlive;
  const file = flags.text('unix-socket');
  io.out.write(`Starting to serve on ${await (file === '' ? listen(server, invocation) : listenOn(server, file))}\n`);
  await new Promise<void>((resolve) => {
    const stop = () => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    };
    if (io.signal.aborted) stop();
    else io.signal.addEventListener('abort', stop, { once: true });
  });
  return undefined;
}

const slashed = (prefix: string) => `/${prefix}/`.replaceAll(/\/{2,}/g, '/');

const pathOf = (server: string) => new URL(server).pathname.replace(/\/+$/, '');

function warnOf(folder: string, { io }: Invocation): void {
  try {
    if (!statSync(folder).isDirectory()) io.err.write(`Warning: Static file directory ${folder} is not a directory\n`);
  } catch {
    io.err.write(
      `Warning: Failed to stat static file directory ${folder}: stat ${folder}: no such file or directory\n`,
    );
  }
}

/** Resolves to the address on which the server listens. @throws CommandError if it cannot listen */
async function listen(server: Server, { flags }: Invocation): Promise<string> {
  const [host, port] = [flags.text('address'), flags.int('port')];
  if (port < 0 || port > 65_535) throw new CommandError(`listen tcp: address ${port}: invalid port`);
  const shown = isIPv6(host) ? `[${host}]` : host;
  await listening(server, { host, port }, `tcp ${shown}:${port}: bind`);
  const { address, port: taken } = server.address() as AddressInfo;
  return `${isIPv6(address) ? `[${address}]` : address}:${taken}`;
}

async function listenOn(server: Server, file: string): Promise<string> {
  try {
    // An earlier call may have ended without removing its socket.
    if (statSync(file).isSocket()) rmSync(file);
  } catch {
    // There is no socket.
  }
  await listening(server, { path: file }, `unix ${file}: bind`);
  return file;
}

function listening(
  server: Server,
  where: { readonly host: string; readonly port: number } | { readonly path: string },
  what: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandError(`listen ${what}: ${reasonOf(error)}`)),
    );
    server.listen(where, resolve);
  });
}
