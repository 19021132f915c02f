import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Trust } from './kept-connections.ts';

/** As whom a client speaks: one user of a connection file. Certificates and keys are PEM texts. */
export interface Credentials {
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
  /** A file that holds the token; read anew when it is used, since its content rotates. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
}

/** How to reach a server and as whom: one context of a connection file. */
export interface Connection extends Credentials {
  readonly server: string;
  readonly ca?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** The name to verify in the server's certificate, where it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** The namespace of commands that name none. */
  readonly namespace?: string;
}

/**
 * Reads one context of a connection file (clusters, users and contexts in YAML or JSON), with the files it refers to;
 * their paths are relative to the connection file.
 * @param context the name of the context; the file's current one by default
 * @throws ConfigError that names the file and what is wrong in it
 */
export function readConnectionFile(file: string, context?: string): Connection {
  const document = readDocument(file);
  const fail = (what: string): never => {
    throw new ConfigError(`${file}: ${what}`);
  };
  const named = (list: string, name: string, field: string): Fields => {
    const entries = Array.isArray(document[list]) ? document[list] : [];
    const found = entries.find((entry) => isFields(entry) && entry['name'] === name) as Fields | undefined;
    if (found === undefined) return fail(`there is no ${JSON.stringify(name)} in ${list}`);
    return isFields(found[field]) ? found[field] : {};
  };
  const contextName = context ?? stringOf(document['current-context']);
  if (!contextName) return fail('it has no current-context: set one, or name the context to use');
  const chosen = named('contexts', contextName, 'context');
  const cluster = named('clusters', stringOf(chosen['cluster']) ?? '', 'cluster');
  const userName = stringOf(chosen['user']);
  const user = userName ? named('users', userName, 'user') : {};
  const server = stringOf(cluster['server']);
  if (!server) return fail(`the cluster of context ${JSON.stringify(contextName)} has no server`);
  const directory = path.dirname(path.resolve(file));
  return defined({
    server,
    ca: readPem(directory, cluster, 'certificate-authority'),
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] === true ? true : undefined,
    tlsServerName: stringOf(cluster['tls-server-name']),
    ...readCredentials(directory, user),
    namespace: stringOf(chosen['namespace']),
  });
}

/** The users of a connection file, for servers that are told apart by the names of users. */
export interface ConnectionUsers {
  readonly byName: ReadonlyMap<string, Credentials>;
  /** The one of the current context. */
  readonly current: Credentials | undefined;
}

/**
 * Reads all users of a connection file.
 * @throws ConfigError that names the file and what is wrong in it
 */
export function readConnectionUsers(file: string): ConnectionUsers {
  const document = readDocument(file);
  const directory = path.dirname(path.resolve(file));
  const entries = (list: string, field: string) =>
    (Array.isArray(document[list]) ? (document[list] as unknown[]) : []).flatMap((entry) => {
      const name = isFields(entry) ? stringOf(entry['name']) : undefined;
      if (!isFields(entry) || name === undefined) throw new ConfigError(`${file}: an entry of ${list} has no name`);
      return [[name, isFields(entry[field]) ? entry[field] : {}] as const];
    });
  const byName = new Map(entries('users', 'user').map(([name, user]) => [name, readCredentials(directory, user)]));
  const contexts = new Map(entries('contexts', 'context'));
  const context = contexts.get(stringOf(document['current-context']) ?? '');
  return { byName, current: byName.get(stringOf(context?.['user']) ?? '') };
}

function readPem(directory: string, fields: Fields, name: string): string | undefined {
  const data = stringOf(fields[`${name}-data`]);
  if (data) return Buffer.from(data, 'base64').toString();
  const reference = stringOf(fields[name]);
  return reference ? readText(path.resolve(directory, reference)) : undefined;
}

function readCredentials(directory: string, user: Fields): Credentials {
  const tokenFile = stringOf(user['tokenFile']);
  return defined({
    clientCertificate: readPem(directory, user, 'client-certificate'),
    clientKey: readPem(directory, user, 'client-key'),
    token: stringOf(user['token']),
    tokenFile: tokenFile && path.resolve(directory, tokenFile),
    username: stringOf(user['username']),
    password: stringOf(user['password']),
  });
}

/** Writes a connection file, readable by its owner only, with one context named `name`. */
export function writeConnectionFile(file: string, name: string, connection: Connection): void {
  writeFileSync(file, formatConnection(name, connection), { mode: 0o600 });
}

/** The text of a connection file with one context; certificates and keys are embedded. */
export function formatConnection(name: string, connection: Connection): string {
  const data = (pem: string | undefined) => pem && Buffer.from(pem).toString('base64');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: defined({
            server: connection.server,
            'certificate-authority-data': data(connection.ca),
            'insecure-skip-tls-verify': connection.insecureSkipTlsVerify,
            'tls-server-name': connection.tlsServerName,
          }),
        },
      ],
      users: [
        {
          name,
          user: defined({
            'client-certificate-data': data(connection.clientCertificate),
            'client-key-data': data(connection.clientKey),
            token: connection.token,
            tokenFile: connection.tokenFile,
            username: connection.username,
            password: connection.password,
          }),
        },
      ],
      contexts: [{ name, context: defined({ cluster: name, user: name, namespace: connection.namespace }) }],
      'current-context': name,
    },
    { lineWidth: 0 },
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readDocument(file: string): Fields {
  const text = readText(file);
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new ConfigError(`${file} is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isFields(document))
    throw new ConfigError(`${file} is not a connection file: it must hold clusters, users and contexts`);
  return document;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** As whom a server is called, and how it is known. */
export function trustOf(connection: Connection): Trust {
  return {
    ca: connection.ca,
    cert: connection.clientCertificate,
    key: connection.clientKey,
    serverName: connection.tlsServerName,
    insecure: connection.insecureSkipTlsVerify,
  };
}

/** The Authorization header that goes with credentials; undefined for none. A token file is read anew each time. */
export async function authorizationOf(credentials: Credentials | undefined): Promise<string | undefined> {
  if (credentials === undefined) return undefined;
  const { tokenFile, username, password } = credentials;
  const token = tokenFile === undefined ? credentials.token : (await readFile(tokenFile, 'utf8')).trim();
  if (token !== undefined) return `Bearer ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
}
