import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { isFields, textOf, textsOf } from '../answers.ts';
import {
  type Cluster,
  type Connection,
  ConnectionFileError,
  type ExecPlugin,
  type TextSource,
  type User,
} from './connection.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { isProxyUrl } from './proxy-url.ts';

/** A named entry of a connection file: its fields, and the folder that paths in it are relative to. */
export interface Entry {
  readonly file: string;
  readonly fields: Fields;
}

/** One connection file, or several in one: of entries with one name the first counts. */
export interface ConnectionFile {
  readonly files: readonly string[];
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly currentContext: string | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** What overrides the chosen context, as flags of a command do. */
export interface ConnectionChoice {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
}

/**
 * The connection files of a user: the one named, else those that the environment lists (`ORCHCONFIG`, or the variable
 * of another naming profile), else the one in the user's home. Of the files of a list some may be missing.
 *
 * @param named by a flag of the program, which counts before all others
 * @example findConnectionFiles(flags.kubeconfig) // ['/home/me/.orch/config']
 */
export function findConnectionFiles(
  named: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): readonly string[] {
  if (named) return [named];
  const namings = namingProfiles.map(createNaming);
  for (const { connectionVariable } of namings) {
    const listed = env[connectionVariable]?.split(path.delimiter).filter((file) => file !== '') ?? [];
    if (listed.length > 0) return listed.length === 1 ? listed : listed.filter((file) => existsSync(file));
  }
  const own = namings.map(({ clientFolder }) => path.join(home, clientFolder, 'config'));
  return own.filter((file) => existsSync(file)).slice(0, 1);
}

/** Reads connection files into one. @throws ConnectionFileError */
export function readConnectionFiles(files: readonly string[]): ConnectionFile {
  const clusters = new Map<string, Entry>();
  const users = new Map<string, Entry>();
  const contexts = new Map<string, Entry>();
  let currentContext: string | undefined;
  for (const file of files) {
    const document = readDocument(file);
    collect(document, 'clusters', 'cluster', file, clusters);
    collect(document, 'users', 'user', file, users);
    collect(document, 'contexts', 'context', file, contexts);
    currentContext ??= filled(document['current-context']);
  }
  return { files, clusters, users, contexts, currentContext };
}

/**
 * The connection of a context: the chosen one, else the current one.
 *
 * @throws ConnectionFileError
 * @example chooseConnection(readConnectionFiles(findConnectionFiles(undefined)))
 */
export function chooseConnection(from: ConnectionFile, choice: ConnectionChoice = {}): Connection {
  const where = from.files.join(', ') || 'the connection file';
  const name = choice.context ?? from.currentContext;
  const context = name === undefined ? undefined : from.contexts.get(name);
  if (name !== undefined && context === undefined)
    throw new ConnectionFileError(`${where}: there is no context ${JSON.stringify(name)}`);
  const clusterName = choice.cluster ?? filled(context?.fields['cluster']);
  if (clusterName === undefined)
    throw new ConnectionFileError(`${where}: it has no current-context: set one, or name the context to use`);
  const cluster = from.clusters.get(clusterName);
  if (cluster === undefined)
    throw new ConnectionFileError(`${where}: there is no cluster ${JSON.stringify(clusterName)}`);
  const userName = choice.user ?? filled(context?.fields['user']);
  const user = userName === undefined ? undefined : from.users.get(userName);
  if (userName !== undefined && user === undefined)
    throw new ConnectionFileError(`${where}: there is no user ${JSON.stringify(userName)}`);
  const namespace = filled(context?.fields['namespace']);
  return {
    cluster: readCluster(clusterName, cluster),
    user: user === undefined ? {} : readUser(userName ?? '', user),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/**
 * The connection that one file describes.
 *
 * @param choice another context than the current one, or another cluster or user
 * @throws ConnectionFileError
 * @example await connect(readConnection('admin.conf', { context: 'staging' }))
 */
export function readConnection(file: string, choice?: ConnectionChoice): Connection {
  return chooseConnection(readConnectionFiles([file]), choice);
}

/** The connection that every pod is given, or undefined outside of one. */
export function connectionOfPod(env: NodeJS.ProcessEnv = process.env, root = '/'): Connection | undefined {
  for (const naming of namingProfiles.map(createNaming)) {
    const variable = (what: string) => env[`${naming.product.toUpperCase()}_SERVICE_${what}`];
    const [host, port] = [variable('HOST'), variable('PORT')];
    const folder = path.join(root, 'var/run/secrets', naming.domain(), 'serviceaccount');
    if (!host || !port || !existsSync(path.join(folder, 'token'))) continue;
    const namespace = path.join(folder, 'namespace');
    return {
      cluster: {
        server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
        ca: { file: path.join(folder, 'ca.crt') },
      },
      user: { token: { file: path.join(folder, 'token') } },
      ...(existsSync(namespace) ? { namespace: readFileSync(namespace, 'utf8').trim() } : {}),
    };
  }
  return undefined;
}

function collect(document: Fields, list: string, field: string, file: string, into: Map<string, Entry>): void {
  const entries = document[list] ?? [];
  if (!Array.isArray(entries)) throw new ConnectionFileError(`${file}: ${list} is not a list`);
  for (const entry of entries as unknown[]) {
    const name = isFields(entry) ? filled(entry['name']) : undefined;
    if (!isFields(entry) || name === undefined)
      throw new ConnectionFileError(`${file}: an entry of ${list} has no name`);
    const fields = entry[field];
    if (!into.has(name)) into.set(name, { file, fields: isFields(fields) ? fields : {} });
  }
}

function readCluster(name: string, { file, fields }: Entry): Cluster {
  const server = filled(fields['server']);
  const fail = (what: string): never => {
    throw new ConnectionFileError(`${file}: the cluster ${JSON.stringify(name)} ${what}`);
  };
  if (server === undefined) return fail('has no server');
  if (!/^https?:\/\//i.test(server) || !URL.canParse(server)) return fail(`has no usable server: ${server}`);
  const proxyUrl = filled(fields['proxy-url']);
  // Without the address in the message: there may be a password in it.
  if (proxyUrl !== undefined && !isProxyUrl(proxyUrl))
    return fail('has no usable proxy-url: it must begin with http://, https:// or socks5://');
  const ca = sourceOf(file, fields, 'certificate-authority');
  const insecure = fields['insecure-skip-tls-verify'] === true;
  if (insecure && ca !== undefined) return fail('has both a certificate-authority and insecure-skip-tls-verify');
  const tlsServerName = filled(fields['tls-server-name']);
  const pluginConfig = pluginConfigOf(fields['extensions']);
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(pluginConfig === undefined ? {} : { pluginConfig }),
  };
}

/** The extension of a cluster that is meant for credential plug-ins. */
function pluginConfigOf(extensions: unknown): unknown {
  const names = namingProfiles.map((profile) => `${createNaming(profile).group('client.authentication')}/exec`);
  const list = Array.isArray(extensions) ? (extensions as unknown[]).filter(isFields) : [];
  return list.find((entry) => names.includes(filled(entry['name']) ?? ''))?.['extension'];
}

function readUser(name: string, { file, fields }: Entry): User {
  const fail = (what: string): never => {
    throw new ConnectionFileError(`${file}: the user ${JSON.stringify(name)} ${what}`);
  };
  if (fields['auth-provider'] !== undefined) fail('has an auth-provider, which ended: use a credential plug-in (exec)');
  const clientCertificate = sourceOf(file, fields, 'client-certificate');
  const clientKey = sourceOf(file, fields, 'client-key');
  if ((clientCertificate === undefined) !== (clientKey === undefined))
    fail('needs both client-certificate and client-key, or neither');
  const tokenFile = filled(fields['tokenFile']);
  const tokenText = filled(fields['token']);
  const token: TextSource | undefined =
    tokenFile !== undefined
      ? { file: resolve(file, tokenFile) }
      : tokenText === undefined
        ? undefined
        : { text: tokenText };
  const [username, password] = [filled(fields['username']), filled(fields['password'])];
  if (token !== undefined && username !== undefined) fail('has both a token and a username: choose one');
  const exec = isFields(fields['exec']) ? readExec(file, fields['exec'], fail) : undefined;
  const impersonate = filled(fields['as']);
  const uid = filled(fields['as-uid']);
  return {
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
    ...(token === undefined ? {} : { token }),
    ...(username === undefined ? {} : { username, password: password ?? '' }),
    ...(exec === undefined ? {} : { exec }),
    ...(impersonate === undefined
      ? {}
      : {
          impersonate: {
            user: impersonate,
            ...(uid === undefined ? {} : { uid }),
            groups: textsOf(fields['as-groups']),
            extra: Object.fromEntries(
              Object.entries(isFields(fields['as-user-extra']) ? fields['as-user-extra'] : {}).map(([key, values]) => [
                key,
                textsOf(values),
              ]),
            ),
          },
        }),
  };
}

const interactiveModes = ['Never', 'IfAvailable', 'Always'] as const;

function readExec(file: string, fields: Fields, fail: (what: string) => never): ExecPlugin {
  const command = filled(fields['command']);
  const apiVersion = filled(fields['apiVersion']);
  if (command === undefined) return fail('has a credential plug-in without command');
  if (apiVersion === undefined || namingOfPlugin(apiVersion) === undefined)
    return fail(`has a credential plug-in with an unknown apiVersion: ${apiVersion ?? 'none'}`);
  const written = filled(fields['interactiveMode']);
  const mode = interactiveModes.find((known) => known === (written ?? 'IfAvailable'));
  if (mode === undefined || (written === undefined && apiVersion.endsWith('/v1')))
    return fail(`has a credential plug-in whose interactiveMode must be one of ${interactiveModes.join(', ')}`);
  const env = Array.isArray(fields['env']) ? (fields['env'] as unknown[]).filter(isFields) : [];
  const installHint = filled(fields['installHint']);
  return {
    // A bare name is looked for on the PATH, a relative path beside the file.
    command: command.includes('/') ? resolve(file, command) : command,
    args: textsOf(fields['args']),
    env: Object.fromEntries(env.map((entry) => [filled(entry['name']) ?? '', filled(entry['value']) ?? ''])),
    apiVersion,
    ...(installHint === undefined ? {} : { installHint }),
    provideClusterInfo: fields['provideClusterInfo'] === true,
    interactiveMode: mode,
  };
}

/** The profile whose word for plug-ins an apiVersion is; undefined for any other. */
export function namingOfPlugin(apiVersion: string): Naming | undefined {
  return namingProfiles
    .map(createNaming)
    .find((naming) =>
      ['v1', 'v1beta1'].some((version) => naming.apiVersion('client.authentication', version) === apiVersion),
    );
}

function sourceOf(file: string, fields: Fields, name: string): TextSource | undefined {
  const data = filled(fields[`${name}-data`]);
  if (data !== undefined) return { text: Buffer.from(data, 'base64').toString() };
  const reference = filled(fields[name]);
  return reference === undefined ? undefined : { file: resolve(file, reference) };
}

function resolve(file: string, reference: string): string {
  return path.resolve(path.dirname(file), reference);
}

function readDocument(file: string): Fields {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConnectionFileError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  let document: unknown;
  try {
    document = readPlainYaml(text) ?? parse(text) ?? {};
  } catch (error) {
    const [what] = (error instanceof Error ? error.message : String(error)).split(/:?\n/);
    throw new ConnectionFileError(`${file} is not YAML: ${what}`);
  }
  if (!isFields(document))
    throw new ConnectionFileError(`${file} is not a connection file: it must hold clusters, users and contexts`);
  return document;
}

/** A text that says something; undefined for '' and for what is no text. */
function filled(value: unknown): string | undefined {
  return textOf(value) || undefined;
}
