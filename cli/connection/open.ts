import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Caller } from '#client/caller.ts';
import { Client, findNaming } from '#client/client.ts';
import { credentialsOf } from '#client/connection/credentials.ts';
import { LightConnections } from '#client/http/light-connections.ts';
import { Transport } from '#client/http/transport.ts';
import type { Flags } from '../framework/flag.ts';
import type { Io } from '../framework/io.ts';
import { logLevel } from '../framework/log-levels.ts';
import { VERSION } from '../framework/version.ts';
import { DiscoveryCache } from './discovery-cache.ts';
import { RequestLog } from './request-log.ts';
import type { Settings } from './settings.ts';

/** An open connection. */
export interface Opened {
  client(): Promise<Client>;
  readonly caller: Caller;
  readonly discovery: DiscoveryCache;
  close(): Promise<void>;
}

/** The call for which a connection is opened. */
export interface Opener {
  readonly io: Io;
  readonly settings: Settings;
  /** The number of warnings from the server. */
  warnings: number;
}

/** Makes the connection that settings describe. It sends nothing before the first request. */
export function open(session: Opener, flags: Flags, given: Client | undefined): Opened {
  if (given !== undefined) {
    const client = async () => given;
    return {
      client,
      caller: given,
      discovery: new DiscoveryCache(undefined, 'http://given', client),
      close: async () => {},
    };
  }
  const { io, settings } = session;
  const { connection, requestTimeoutMs } = settings;
  const { server, proxyUrl } = connection.cluster;
  const transport = new Transport({
    server,
    credentials: credentialsOf(connection),
    timeoutMs: requestTimeoutMs,
    connections: new LightConnections(new URL(server).origin, proxyUrl),
    // The program does not repeat such a request, so the user learns at once that a node or an extension server does
    // not answer.
    repeatsReads: false,
    userAgent: `orchctl/${VERSION} (${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch})`,
  });
  const caller = new RequestLog(
    transport,
    server,
    logLevel(flags, 'request-log', 'round_trippers'),
    io,
    connection.user,
    () => {
      session.warnings++;
    },
  );
  if (logLevel(flags, 'open', 'loader') >= 6)
    for (const file of settings.files) caller.say(`Config loaded from file:  ${path.resolve(file)}`);
  let client: Promise<Client> | undefined;
  const connected = async () => {
    const profile = discovery.profile;
    const naming = profile === undefined ? await findNaming(caller, io.signal) : createNaming(profile);
    return new Client(caller, naming);
  };
  const open = () => (client ??= connected());
  const folder = flags.text('cache-dir') || path.join(io.home, createNaming(namingProfiles[0]!).clientFolder, 'cache');
  const discovery = new DiscoveryCache(folder, server, open);
  return { client: open, caller, discovery, close: () => transport.close() };
}
