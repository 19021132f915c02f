import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Path } from '../operator-files/validate.ts';
import {
  type Cluster,
  type Connection,
  ConnectionFileError,
  type ExecPlugin,
  type Impersonation,
  type TextSource,
  type User,
} from './connection.ts';
import { type ConnectionDocument, type ConnectionFields, readConnectionDocument } from './connection-document.ts';
import { isProxyUrl } from './proxy-url.ts';

type ItemOf<List extends keyof ConnectionFields> =
  NonNullable<ConnectionFields[List]> extends readonly (infer T)[] ? T : never;
type ClusterFields = NonNullable<ItemOf<'clusters'>['cluster']>;
type UserFields = NonNullable<ItemOf<'users'>['user']>;
type ContextFields = NonNullable<ItemOf<'contexts'>['context']>;

/** A named entry of a connection file. */
export interface Entry<Fields> {
  readonly document: ConnectionDocument;
  /** The path of its fields in the document. */
  readonly at: Path;
  readonly fields: Fields;
}

/** One connection file, or several merged files. Of entries with the same name, the first is used. */
export interface ConnectionFile {
  readonly files: readonly string[];
  readonly clusters: ReadonlyMap<string, Entry<ClusterFields>>;
  readonly users: ReadonlyMap<string, Entry<UserFields>>;
  readonly contexts: ReadonlyMap<string, Entry<ContextFields>>;
  readonly currentContext: string | undefined;
  /** The document that names the current context. */
  readonly currentIn: ConnectionDocument | undefined;
  /** A line for each unknown field, with its place. */
  unknownFields(): readonly string[];
}

/** Values that override the chosen context, as flags of a command do. */
export interface ConnectionChoice {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
}

/**
 * Reads connection files into one.
 *
 * @param isStrict refuses repeated fields and second documents. Otherwise the last field and the first document are
 * used.
 * @throws ConnectionFileError
 */
export function readConnectionFiles(files: readonly string[], isStrict = false): ConnectionFile {
  const clusters = new Map<string, Entry<ClusterFields>>();
  const users = new Map<string, Entry<UserFields>>();
  const contexts = new Map<string, Entry<ContextFields>>();
  const documents = files.map((file) => readConnectionDocument(file, isStrict));
  for (const document of documents) {
    const { fields } = document;
    const add = <Fields>(into: Map<string, Entry<Fields>>, name: string, at: Path, own: Fields) => {
      if (!into.has(name)) into.set(name, { document, at, fields: own });
    };
    for (const [i, { name, cluster }] of (fields.clusters ?? []).entries())
      add(clusters, name, ['clusters', i, 'cluster'], cluster ?? {});
    for (const [i, { name, user }] of (fields.users ?? []).entries())
      add(users, name, ['users', i, 'user'], user ?? {});
    for (const [i, { name, context }] of (fields.contexts ?? []).entries())
      add(contexts, name, ['contexts', i, 'context'], context ?? {});
  }
  const currentIn = documents.find(({ fields }) => fields['current-context']);
  return {
    files,
    clusters,
    users,
    contexts,
    currentContext: currentIn?.fields['current-context'] || undefined,
    currentIn,
    unknownFields: () => documents.flatMap((document) => document.unknownFields()),
  };
}

/**
 * The connection of the chosen context, or otherwise of the current one.
 *
 * @throws ConnectionFileError
 * @example chooseConnection(readConnectionFiles(findConnectionFiles(undefined)))
 */
export function chooseConnection(from: ConnectionFile, choice: ConnectionChoice = {}): Connection {
  const context = chosenContext(from, choice);
  const clusterName = choice.cluster ?? (context?.fields.cluster || undefined);
  const where = from.files.join(', ') || 'the connection file';
  if (clusterName === undefined) {
    if (context !== undefined) return refuse(context, ['cluster'], 'is missing');
    throw new ConnectionFileError(`${where}: it has no current-context: set one, or name the context to use`);
  }
  const cluster = from.clusters.get(clusterName);
  if (cluster === undefined) {
    if (choice.cluster === undefined) return refuse(context!, ['cluster'], 'is not the name of one of clusters');
    throw new ConnectionFileError(`${where}: there is no cluster ${JSON.stringify(clusterName)}`);
  }
  const userName = choice.user ?? (context?.fields.user || undefined);
  const user = userName === undefined ? undefined : from.users.get(userName);
  if (userName !== undefined && user === undefined) {
    if (choice.user === undefined) return refuse(context!, ['user'], 'is not the name of one of users');
    throw new ConnectionFileError(`${where}: there is no user ${JSON.stringify(userName)}`);
  }
  const namespace = context?.fields.namespace;
  return {
    cluster: readCluster(cluster),
    user: user === undefined ? {} : readUser(user),
    ...(namespace ? { namespace } : {}),
  };
}

/** The chosen context, or else the current one. @throws ConnectionFileError if no context has this name */
function chosenContext(from: ConnectionFile, choice: ConnectionChoice): Entry<ContextFields> | undefined {
  const name = choice.context ?? from.currentContext;
  const context = name === undefined ? undefined : from.contexts.get(name);
  if (name === undefined || context !== undefined) return context;
  if (choice.context === undefined)
    from.currentIn?.refuse([{ path: ['current-context'], what: 'is not the name of one of contexts' }]);
  throw new ConnectionFileError(
    `${from.files.join(', ') || 'the connection file'}: there is no context ${JSON.stringify(name)}`,
  );
}

/**
 * The connection that one file describes.
 *
 * @param choice a context other than the current one, or another cluster or user
 * @throws ConnectionFileError
 * @example await connect(readConnection('admin.conf', { context: 'staging' }))
 */
export function readConnection(file: string, choice?: ConnectionChoice): Connection {
  return chooseConnection(readConnectionFiles([file]), choice);
}

/** @throws ConnectionFileError about a field of an entry */
export function refuse(entry: Entry<unknown>, at: Path, what: string): never {
  const path = [...entry.at, ...at];
  entry.document.refuse([{ path, what }]);
  throw new Error(`a refusal of ${path.join('.')} has no message`);
}

function readCluster(entry: Entry<ClusterFields>): Cluster {
  const { fields } = entry;
  const { server, 'proxy-url': proxyUrl, 'tls-server-name': tlsServerName } = fields;
  if (!server) return refuse(entry, ['server'], 'is missing');
  // The message does not show the address, because it may contain a password.
  if (!/^https?:\/\//i.test(server) || !URL.canParse(server))
    return refuse(entry, ['server'], 'is not usable: it must begin with http:// or https://');
  if (proxyUrl && !isProxyUrl(proxyUrl))
    return refuse(entry, ['proxy-url'], 'is not usable: it must begin with http://, https:// or socks5://');
  const ca = sourceOf(entry, 'certificate-authority');
  const insecure = fields['insecure-skip-tls-verify'] === true;
  if (insecure && ca !== undefined)
    return refuse(entry, ['insecure-skip-tls-verify'], 'must not be true beside a certificate-authority');
  const pluginConfig = pluginConfigOf(fields.extensions ?? []);
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(tlsServerName ? { tlsServerName } : {}),
    ...(proxyUrl ? { proxyUrl } : {}),
    ...(pluginConfig === undefined ? {} : { pluginConfig }),
  };
}

/** The extension of a cluster for credential plug-ins. */
function pluginConfigOf(extensions: NonNullable<ClusterFields['extensions']>): unknown {
  if (extensions.length === 0) return undefined;
  const names = namingProfiles.map((profile) => `${createNaming(profile).group('client.authentication')}/exec`);
  return extensions.find(({ name }) => names.includes(name))?.extension;
}

/** The credentials of an entry. @throws ConnectionFileError */
export function readUser(entry: Entry<UserFields>): User {
  const { fields } = entry;
  if (fields['auth-provider'] !== undefined && fields['auth-provider'] !== null)
    refuse(entry, ['auth-provider'], 'is not supported: use a credential plug-in (exec)');
  const clientCertificate = sourceOf(entry, 'client-certificate');
  const clientKey = sourceOf(entry, 'client-key');
  if ((clientCertificate === undefined) !== (clientKey === undefined))
    refuse(entry, [], 'needs both client-certificate and client-key, or neither');
  const { username, password } = fields;
  const token = tokenOf(entry);
  if (token !== undefined && username) refuse(entry, ['username'], 'stands beside a token: choose one');
  const exec = fields.exec ? readExec(entry, fields.exec) : undefined;
  const impersonate = readImpersonation(fields);
  return {
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
    ...(token === undefined ? {} : { token }),
    ...(username ? { username, password: password ?? '' } : {}),
    ...(exec === undefined ? {} : { exec }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

function tokenOf({ document, fields: { token, tokenFile } }: Entry<UserFields>): TextSource | undefined {
  if (tokenFile) return { file: resolve(document.file, tokenFile) };
  return token ? { text: token } : undefined;
}

function readImpersonation(fields: UserFields): Impersonation | undefined {
  const { as: user, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = fields;
  if (!user) return undefined;
  return { user, ...(uid ? { uid } : {}), groups: groups ?? [], extra: extra ?? {} };
}

const interactiveModes = ['Never', 'IfAvailable', 'Always'] as const;

function readExec(entry: Entry<UserFields>, fields: NonNullable<UserFields['exec']>): ExecPlugin {
  const { command, apiVersion, interactiveMode, installHint } = fields;
  if (!command) return refuse(entry, ['exec', 'command'], 'is missing');
  if (!apiVersion || namingOfPlugin(apiVersion) === undefined)
    return refuse(entry, ['exec', 'apiVersion'], 'is no version of a credential plug-in that is known');
  const mode = interactiveModes.find((known) => known === (interactiveMode || 'IfAvailable'));
  if (mode === undefined || (!interactiveMode && apiVersion.endsWith('/v1')))
    return refuse(entry, ['exec', 'interactiveMode'], `must be one of ${interactiveModes.join(', ')}`);
  return {
    // A bare name is searched on the PATH, and a relative path is relative to the file's folder.
    command: command.includes('/') ? resolve(entry.document.file, command) : command,
    args: fields.args ?? [],
    env: Object.fromEntries((fields.env ?? []).map(({ name, value }) => [name, value])),
    apiVersion,
    ...(installHint ? { installHint } : {}),
    provideClusterInfo: fields.provideClusterInfo === true,
    interactiveMode: mode,
  };
}

/** The naming profile whose plug-ins use this apiVersion; undefined for any other apiVersion. */
export function namingOfPlugin(apiVersion: string): Naming | undefined {
  return namingProfiles
    .map(createNaming)
    .find((naming) =>
      ['v1', 'v1beta1'].some((version) => naming.apiVersion('client.authentication', version) === apiVersion),
    );
}

function sourceOf<Name extends string>(
  { document, fields }: Entry<{ readonly [N in Name | `${Name}-data`]?: string | null }>,
  name: Name,
): TextSource | undefined {
  const data = fields[`${name}-data`];
  if (data) return { text: Buffer.from(data, 'base64').toString() };
  const reference = fields[name];
  return reference ? { file: resolve(document.file, reference) } : undefined;
}

function resolve(file: string, reference: string): string {
  return path.resolve(path.dirname(file), reference);
}
