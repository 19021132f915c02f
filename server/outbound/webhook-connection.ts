import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Cluster, TextSource, User } from '#program/connection/connection.ts';
import {
  type ConnectionFile,
  chooseConnection,
  type Entry,
  readConnectionFiles,
  readUser,
  refuse,
} from '#program/connection/connection-file.ts';
import type { Trust } from '#program/connection/kept-connections.ts';
import type { LoadedConnection, LoadedCredentials } from '#program/connection/loaded-connection.ts';

/** Handles a line about an unknown field of a connection file. */
export type Warn = (line: string) => void;

/** The users of a connection file for webhooks, which are selected by user name. */
export interface WebhookUsers {
  readonly byName: ReadonlyMap<string, LoadedCredentials>;
  /** The credentials of the current context. */
  readonly current: LoadedCredentials | undefined;
}

/** User settings of a connection file that this server does not support. */
const NOT_DONE = {
  exec: 'names a credential plug-in, which this server does not run: use a token file or a client certificate',
  as: 'names another user to act as, which this server does not do for webhooks: give it that user',
  'as-uid': 'is of another user to act as, which this server does not do for webhooks',
  'as-groups': 'is of another user to act as, which this server does not do for webhooks',
  'as-user-extra': 'is of another user to act as, which this server does not do for webhooks',
} as const;

/**
 * Reads the connection to a webhook of this server: the current context of a connection file, with its certificates and
 * keys. Paths in the file are relative to its folder.
 *
 * @param warn gets each unknown field
 * @throws ConfigError with the places of mistakes, and of settings that this server does not support
 */
export function readWebhookConnection(file: string, warn: Warn): LoadedConnection {
  const from = readStrictly(file, warn);
  const context = from.contexts.get(from.currentContext ?? '');
  const user = from.users.get(context?.fields.user ?? '');
  if (user !== undefined) refuseNotDone(user);
  const chosen = chooseConnection(from);
  const cluster = from.clusters.get(context?.fields.cluster ?? '')!;
  const { server, insecureSkipTlsVerify, tlsServerName, proxyUrl } = chosen.cluster;
  return {
    server,
    ...textOf(cluster, chosen.cluster, 'ca', 'certificate-authority'),
    ...(insecureSkipTlsVerify ? { insecureSkipTlsVerify } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(user === undefined ? {} : load(user, chosen.user)),
  };
}

/**
 * Reads all users of a connection file. Its clusters are ignored: other configuration has the addresses of webhooks.
 *
 * @param warn gets each unknown field
 * @throws ConfigError with the places of mistakes, and of settings that this server does not support
 */
export function readWebhookUsers(file: string, warn: Warn): WebhookUsers {
  const from = readStrictly(file, warn);
  const byName = new Map(
    [...from.users].map(([name, entry]) => {
      refuseNotDone(entry);
      return [name, load(entry, readUser(entry))];
    }),
  );
  const context = from.contexts.get(from.currentContext ?? '');
  return { byName, current: byName.get(context?.fields.user ?? '') };
}

function readStrictly(file: string, warn: Warn): ConnectionFile {
  const from = readConnectionFiles([file], true);
  for (const line of from.unknownFields()) warn(line);
  return from;
}

type UserEntry = ConnectionFile['users'] extends ReadonlyMap<string, infer E> ? E : never;

function refuseNotDone(entry: UserEntry): void {
  const problems = Object.entries(NOT_DONE)
    .filter(([name]) => entry.fields[name as keyof typeof NOT_DONE])
    .map(([name, what]) => ({ path: [...entry.at, name], what }));
  entry.document.refuse(problems);
}

function load(entry: UserEntry, user: User): LoadedCredentials {
  const { token, username, password } = user;
  return {
    ...textOf(entry, user, 'clientCertificate', 'client-certificate'),
    ...textOf(entry, user, 'clientKey', 'client-key'),
    ...(token === undefined ? {} : 'file' in token ? { tokenFile: token.file } : { token: token.text }),
    ...(username === undefined ? {} : { username, password: password ?? '' }),
  };
}

/** The text of a source, in a member with the same name. @throws ConfigError if its file cannot be read */
function textOf<Name extends string>(
  entry: Entry<unknown>,
  sources: { readonly [N in Name]?: TextSource } & (Cluster | User),
  name: Name,
  field: string,
): { readonly [N in Name]?: string } {
  const source: TextSource | undefined = sources[name];
  if (source === undefined) return {};
  if ('text' in source) return { [name]: source.text } as { readonly [N in Name]?: string };
  try {
    return { [name]: readFileSync(source.file, 'utf8') } as { readonly [N in Name]?: string };
  } catch (error) {
    return refuse(entry, [field], `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The certificates for calls of a webhook, and the rules for the webhook's own certificate. */
export function trustOf(connection: LoadedConnection): Trust {
  return {
    ca: connection.ca,
    cert: connection.clientCertificate,
    key: connection.clientKey,
    serverName: connection.tlsServerName,
    insecure: connection.insecureSkipTlsVerify,
  };
}

/**
 * The Authorization header for credentials; undefined without credentials. The file of a token is read again for each
 * call.
 */
export async function authorizationOf(credentials: LoadedCredentials | undefined): Promise<string | undefined> {
  if (credentials === undefined) return undefined;
  const { tokenFile, username, password } = credentials;
  const token = tokenFile === undefined ? credentials.token : (await readFile(tokenFile, 'utf8')).trim();
  if (token !== undefined) return `Bearer ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
}
