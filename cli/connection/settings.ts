import { readFileSync } from 'node:fs';
import { connectionOfPod, findConnectionFiles } from '#client/connection/find-connection.ts';
import type { Cluster, Connection, Impersonation, TextSource, User } from '#program/connection/connection.ts';
import {
  type ConnectionFile,
  chooseConnection,
  readConnectionFiles,
  readUser,
} from '#program/connection/connection-file.ts';
import { CommandError } from '../framework/errors.ts';
import { type Flags, parseDuration } from '../framework/flag.ts';
import type { Io } from '../framework/io.ts';
import { urlMistake } from '../framework/url-mistake.ts';
import { fileFields, isMissing } from './file-fields.ts';

/** The server and the user of a connection, from files, flags and the environment. */
export interface Settings {
  readonly connection: Connection;
  /** The files that were read. */
  readonly files: readonly string[];
  /** The context in use, if there is one. */
  readonly context: string | undefined;
  /** The namespace of objects that do not name one. */
  readonly namespace: string;
  /** Whether a flag names the namespace. Objects in files must not be in another namespace then. */
  readonly namespaceGiven: boolean;
  /** The time limit in milliseconds. Infinity means no limit. */
  readonly requestTimeoutMs: number;
}

/** The address of the server if no flag, file or variable gives one. */
const DEFAULT_SERVER = 'http://localhost:8080';

/**
 * @param connecting whether the command needs a client before it needs a namespace (see `connectsFirst`)
 * @throws CommandError for wrong flags, ConnectionFileError for a malformed file
 */
export function readSettings(flags: Flags, io: Io, connecting = false): Settings {
  const named = flags.text('kubeconfig');
  const files = findConnectionFiles(named || undefined, io.env, io.home);
  const file = readFiles(files, named);
  const own = file.contexts.get(flags.text('context') || (file.currentContext ?? ''))?.fields;
  const connection = withFlags(chosen(file, flags, io, connecting), flags, flags.text('user') || (own?.user ?? ''));
  checkFiles(connection, own?.cluster ?? '', own?.user ?? '');
  const namespace = flags.text('namespace') || connection.namespace || 'default';
  return {
    connection,
    files,
    context: flags.text('context') || file.currentContext,
    namespace,
    namespaceGiven: flags.text('namespace') !== '',
    requestTimeoutMs: readTimeout(flags.text('request-timeout')),
  };
}

function readFiles(files: readonly string[], named: string): ConnectionFile {
  try {
    return readConnectionFiles(files);
  } catch (error) {
    if (isMissing(error)) {
      if (named !== '') throw new CommandError(`stat ${named}: no such file or directory`);
      return readConnectionFiles([]);
    }
    // Throws the error of the first wrong file, in the words of the command line.
    for (const file of files) fileFields(file);
    throw error;
  }
}

function chosen(file: ConnectionFile, flags: Flags, io: Io, connecting: boolean): Connection {
  const context = flags.text('context') || undefined;
  // If a flag names the namespace, the command connects without a search for the namespace.
  const first = connecting || flags.text('namespace') !== '';
  const cluster = flags.text('cluster') || undefined;
  const user = flags.text('user') || undefined;
  const where = file.files.join(', ') || 'no connection file';
  if (context !== undefined && !file.contexts.has(context))
    throw noContext(context, first, {
      hint: `${where} has the contexts ${[...file.contexts.keys()].join(', ') || '(none)'}.`,
    });
  if (cluster !== undefined && !file.clusters.has(cluster))
    throw new CommandError(
      first ? `cluster ${JSON.stringify(cluster)} does not exist` : `no server found for cluster "${cluster}"`,
      {
        hint: `${where} has the clusters ${[...file.clusters.keys()].join(', ') || '(none)'}.`,
      },
    );
  if (user !== undefined && !file.users.has(user))
    throw new CommandError(`auth info "${user}" does not exist`, {
      hint: `${where} has the users ${[...file.users.keys()].join(', ') || '(none)'}.`,
    });
  const current = context ?? file.currentContext;
  if (current === undefined && cluster === undefined) {
    const pod = connectionOfPod(io.env);
    if (pod !== undefined && flags.text('server') === '') return pod;
    return { cluster: { server: DEFAULT_SERVER }, user: userOf(file, user) };
  }
  if (current !== undefined && !file.contexts.has(current))
    throw noContext(current, first, {
      hint: `${where} names it as its current context, and has the contexts ${[...file.contexts.keys()].join(', ') || '(none)'}.`,
    });
  const { server } = { server: flags.text('server') };
  const clusterName = cluster ?? file.contexts.get(current ?? '')?.fields.cluster ?? '';
  const fields = file.clusters.get(clusterName)?.fields;
  if (!fields?.server) {
    const own = file.contexts.get(current ?? '')?.fields;
    return {
      cluster: { server: server || DEFAULT_SERVER },
      user: userOf(file, user ?? own?.user ?? undefined),
      ...(own?.namespace ? { namespace: own.namespace } : {}),
    };
  }
  return chooseConnection(file, { context, cluster, user });
}

function noContext(name: string, connecting: boolean, { hint }: { hint: string }): CommandError {
  if (connecting) return new CommandError(`context ${JSON.stringify(name)} does not exist`, { hint });
  const text = `Error in configuration: context was not found for specified context: ${name}`;
  return new CommandError(text, { plain: true, hint });
}

/** A user by name, without a context. */
function userOf(file: ConnectionFile, name: string | undefined): User {
  const entry = file.users.get(name ?? '');
  return entry === undefined ? {} : readUser(entry);
}

function withFlags(connection: Connection, flags: Flags, userName: string): Connection {
  const source = (name: string) => ({ file: flags.text(name) });
  let { cluster, user }: { cluster: Cluster; user: User } = connection;
  if (flags.text('server') !== '') cluster = { ...cluster, server: withScheme(flags.text('server')) };
  if (flags.has('insecure-skip-tls-verify')) {
    const { ca: _, ...rest } = cluster;
    cluster = flags.bool('insecure-skip-tls-verify') ? { ...rest, insecureSkipTlsVerify: true } : cluster;
  }
  if (flags.text('certificate-authority') !== '') cluster = { ...cluster, ca: source('certificate-authority') };
  if (flags.text('tls-server-name') !== '') cluster = { ...cluster, tlsServerName: flags.text('tls-server-name') };
  if (flags.text('client-certificate') !== '') user = { ...user, clientCertificate: source('client-certificate') };
  if (flags.text('client-key') !== '') user = { ...user, clientKey: source('client-key') };
  if (flags.text('token') !== '') user = { ...user, token: { text: flags.text('token') } };
  if (flags.text('username') !== '' && user.token !== undefined)
    throw new CommandError(
      `more than one authentication method found for ${userName}; found [token basicAuth], only one is allowed`,
    );
  if (flags.text('username') !== '')
    user = { ...user, username: flags.text('username'), password: flags.text('password') };
  const impersonate = impersonation(flags, userName);
  if (impersonate !== undefined) user = { ...user, impersonate };
  return { ...connection, cluster, user };
}

/** Checks that certificates and keys exist and are valid. @throws CommandError that names all errors */
function checkFiles({ cluster, user }: Connection, clusterName: string, userName: string): void {
  const mistakes: string[] = [];
  const check = (what: string, source: TextSource | undefined, whose: string, noPem: string) => {
    if (source === undefined) return;
    try {
      const text = 'file' in source ? readFileSync(source.file, 'utf8') : source.text;
      if (!text.includes('-----BEGIN')) mistakes.push(noPem);
    } catch (error) {
      if (!('file' in source)) return;
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'EACCES' ? 'permission denied' : 'no such file or directory';
      mistakes.push(`unable to read ${what} ${source.file} for ${whose} due to open ${source.file}: ${why}`);
    }
  };
  if (user.clientCertificate !== undefined && user.clientKey === undefined)
    mistakes.push(
      `client-key-data or client-key must be specified for ${userName} to use the clientCert authentication method.`,
    );
  check('client-cert', user.clientCertificate, userName, 'tls: failed to find any PEM data in certificate input');
  check('client-key', user.clientKey, userName, 'tls: failed to find any PEM data in key input');
  check(
    'certificate-authority',
    cluster.ca,
    clusterName,
    'unable to load root certificates: unable to parse bytes as PEM block',
  );
  if (mistakes.length === 1) throw new CommandError(mistakes[0]!);
  if (mistakes.length > 1)
    throw new CommandError(['Error in configuration:', ...mistakes.map((each) => `* ${each}`)].join('\n'), {
      plain: true,
    });
}

function withScheme(server: string): string {
  const whole = server.includes('://') ? server : `http://${server}`;
  const mistake = urlMistake(whole);
  if (mistake !== undefined) throw new CommandError(`Unable to connect to the server: ${mistake}`, { plain: true });
  if (!URL.canParse(whole)) throw new CommandError(`host must be a URL or a host:port pair: ${JSON.stringify(whole)}`);
  const { protocol } = new URL(whole);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new CommandError(
      `Unable to connect to the server: unsupported protocol scheme ${JSON.stringify(protocol.slice(0, -1))}`,
      { plain: true },
    );
  return whole;
}

function impersonation(flags: Flags, userName: string): Impersonation | undefined {
  const [user, uid, groups] = [flags.text('as'), flags.text('as-uid'), flags.list('as-group')];
  if (user !== '') return { user, ...(uid === '' ? {} : { uid }), ...(groups.length === 0 ? {} : { groups }) };
  if (uid !== '' || groups.length > 0)
    throw new CommandError(`requesting uid, groups or user-extra for ${userName} without impersonating a user`);
  return undefined;
}

function readTimeout(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (ms === undefined)
    throw new CommandError(
      'Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)',
    );
  return ms <= 0 ? Number.POSITIVE_INFINITY : ms;
}
