import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from '../../command-line/command.ts';
import { commandHelp } from '../../command-line/help.ts';
import type { Fields, Section } from '../../connection-files/document.ts';
import { ConfigFiles } from '../../connection-files/files.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import { exactly } from './arguments.ts';
import { goneCurrent } from './contexts.ts';
import { setProperty, unsetProperty } from './properties.ts';

/** A command that lists the names in a section. */
function lister(name: string, section: Section, what: string): Command {
  return {
    name,
    short: `Display ${what} defined in the connection file`,
    examples: `# List all entries\n{} config ${name}`,
    run: async ({ flags, io }) => {
      const names = [...new ConfigFiles(flags, io).merged()[section].keys()].sort();
      io.out.write(['NAME', ...names].map((line) => `${line}\n`).join(''));
      return undefined;
    },
  };
}

export const getClusters = lister('get-clusters', 'clusters', 'clusters');
export const getUsers = lister('get-users', 'users', 'users');

function deleter(what: 'cluster' | 'context' | 'user', section: Section): Command {
  return {
    name: `delete-${what}`,
    short: `Delete the specified ${what} from the connection file`,
    examples: `# Delete one entry\n{} config delete-${what} my-${what}`,
    usage: 'NAME',
    run: async (invocation) => {
      const { command, flags, args, io, path } = invocation;
      const [name] = args;
      if (args.length !== 1 && what === 'user') throw new UsageError('user to delete is required');
      if (args.length !== 1) {
        io.out.write(commandHelp(command, path));
        return undefined;
      }
      const files = new ConfigFiles(flags, io);
      const file = files.fileOf(section, name!);
      const merged = files.merged();
      if (!merged[section].has(name!)) throw new CommandError(`cannot delete ${what} ${name}, not in ${file}`);
      if (what === 'context' && merged.currentContext === name) io.err.write(goneCurrent);
      files.in(file)[section].delete(name!);
      files.write(file);
      io.out.write(`deleted ${what} ${name} from ${file}\n`);
      return undefined;
    },
  };
}

export const deleteCluster = deleter('cluster', 'clusters');
export const deleteContext = deleter('context', 'contexts');
export const deleteUser = deleter('user', 'users');

/** The path of a file. With `--embed-certs`, the content of the file. */
function certificate(flags: Flags, name: string, entry: Fields): void {
  if (!flags.has(name)) return;
  const file = path.resolve(flags.text(name));
  if (!flags.bool('embed-certs')) {
    entry[name] = flags.text(name) === '' ? '' : file;
    delete entry[`${name}-data`];
    return;
  }
  if (!existsSync(file))
    throw new CommandError(
      `could not stat ${name} file ${flags.text(name)}: stat ${flags.text(name)}: no such file or directory`,
    );
  entry[`${name}-data`] = readFileSync(file).toString('base64');
  delete entry[name];
}

export const setCluster: Command = {
  name: 'set-cluster',
  short: 'Set a cluster entry in a connection file',
  long: 'Set a cluster entry of the connection file.\n\n Other fields of an existing entry do not change.',
  examples:
    '# Set the address of a server and its certificate authority\n{} config set-cluster e2e --server=https://1.2.3.4 --certificate-authority=ca.crt --embed-certs',
  usage:
    'NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com]',
  flags: [
    {
      name: 'embed-certs',
      type: 'bool',
      help: 'Store the content of the certificate in the connection file, instead of its path',
    },
    { name: 'proxy-url', type: 'string', help: 'URL of the proxy for connections to the server' },
  ],
  run: async (invocation) => {
    const [name] = exactly(invocation, 1) as [string];
    const { flags, io } = invocation;
    const files = new ConfigFiles(flags, io);
    const file = files.fileOf('clusters', name);
    const entry: Fields = { server: '', ...files.in(file).clusters.get(name) };
    for (const field of ['server', 'tls-server-name', 'proxy-url'])
      if (flags.has(field)) entry[field] = flags.text(field);
    if (flags.has('insecure-skip-tls-verify')) {
      entry['insecure-skip-tls-verify'] = flags.bool('insecure-skip-tls-verify') || undefined;
      if (flags.bool('insecure-skip-tls-verify')) {
        delete entry['certificate-authority'];
        delete entry['certificate-authority-data'];
      }
    }
    certificate(flags, 'certificate-authority', entry);
    if (flags.text('certificate-authority') !== '') delete entry['insecure-skip-tls-verify'];
    files.in(file).clusters.set(name, entry);
    files.write(file);
    io.out.write(`Cluster "${name}" set.\n`);
    return undefined;
  },
};

export const setCredentials: Command = {
  name: 'set-credentials',
  short: 'Set a user entry in a connection file',
  long: 'Set a user entry of the connection file.\n\n Other fields of an existing entry do not change. A user authenticates with a client certificate, a token, a name and a password, or a credential plug-in.',
  examples:
    '# Use a client certificate\n{} config set-credentials admin --client-certificate=admin.crt --client-key=admin.key --embed-certs\n\n# Use a credential plug-in\n{} config set-credentials me --exec-command=/path/to/plug-in --exec-api-version=client.authentication.orch.io/v1',
  usage:
    'NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [--exec-command=exec_command] [--exec-api-version=exec_api_version] [--exec-arg=arg] [--exec-env=key=value]',
  flags: [
    {
      name: 'embed-certs',
      type: 'bool',
      help: 'Store the content of certificate and key in the connection file, instead of their paths',
    },
    { name: 'exec-api-version', type: 'string', help: 'API version that the credential plug-in uses' },
    { name: 'exec-arg', type: 'strings', help: 'Argument of the credential plug-in; may be repeated' },
    { name: 'exec-command', type: 'string', help: 'Program that returns credentials (credential plug-in)' },
    {
      name: 'exec-env',
      type: 'texts',
      help: 'Environment variable of the credential plug-in: NAME=VALUE sets it, NAME- removes it',
    },
    {
      name: 'exec-interactive-mode',
      type: 'string',
      help: 'Whether the credential plug-in may ask the user for input: Never, IfAvailable or Always',
    },
    {
      name: 'exec-provide-cluster-info',
      type: 'bool',
      help: 'Pass information about the cluster to the credential plug-in',
    },
  ],
  run: async (invocation) => {
    const [name] = exactly(invocation, 1, 'unexpected args') as [string];
    const { flags, io } = invocation;
    const files = new ConfigFiles(flags, io);
    const file = files.fileOf('users', name);
    const entry: Fields = { ...files.in(file).users.get(name) };
    const ways = [
      ...(flags.text('token') === '' ? [] : ['--token']),
      ...(flags.text('username') === '' && flags.text('password') === '' ? [] : ['--username/--password']),
    ];
    if (ways.length > 1)
      throw new CommandError(
        `you cannot specify more than one authentication method at the same time: ${ways.join(', ')}`,
      );
    certificate(flags, 'client-certificate', entry);
    certificate(flags, 'client-key', entry);
    if (flags.has('token')) {
      entry['token'] = flags.text('token');
      delete entry['username'];
      delete entry['password'];
    }
    for (const field of ['username', 'password']) if (flags.has(field)) entry[field] = flags.text(field);
    if (ways[0] === '--username/--password') {
      delete entry['token'];
      delete entry['tokenFile'];
    }
    plugin(flags, entry);
    files.in(file).users.set(name, entry);
    files.write(file);
    io.out.write(`User "${name}" set.\n`);
    return undefined;
  },
};

function plugin(flags: Flags, entry: Fields): void {
  const names = [
    'exec-command',
    'exec-api-version',
    'exec-arg',
    'exec-env',
    'exec-interactive-mode',
    'exec-provide-cluster-info',
  ];
  if (!names.some((name) => flags.has(name))) return;
  const exec: Fields = {
    command: '',
    args: null,
    env: null,
    apiVersion: '',
    provideClusterInfo: false,
    ...(entry['exec'] as Fields | undefined),
  };
  if (flags.has('exec-command')) exec['command'] = flags.text('exec-command');
  if (flags.has('exec-api-version')) exec['apiVersion'] = flags.text('exec-api-version');
  if (flags.has('exec-arg')) exec['args'] = [...flags.list('exec-arg')];
  if (flags.has('exec-interactive-mode')) exec['interactiveMode'] = flags.text('exec-interactive-mode');
  if (flags.has('exec-provide-cluster-info')) exec['provideClusterInfo'] = flags.bool('exec-provide-cluster-info');
  if (flags.has('exec-env')) {
    let env = [...((exec['env'] as { name: string; value: string }[] | null) ?? [])];
    for (const text of flags.list('exec-env')) {
      const equals = text.indexOf('=');
      if (equals > 0) {
        const [variable, value] = [text.slice(0, equals), text.slice(equals + 1)];
        const there = env.findIndex((each) => each.name === variable);
        if (there < 0) env.push({ name: variable, value });
        else env[there] = { name: variable, value };
      } else if (text.endsWith('-')) env = env.filter((each) => each.name !== text.slice(0, -1));
      else throw new CommandError(`the environment variable ${JSON.stringify(text)} is neither NAME=VALUE nor NAME-`);
    }
    exec['env'] = env;
  }
  if (!exec['interactiveMode']) exec['interactiveMode'] = 'IfAvailable';
  entry['exec'] = exec;
}

export const set: Command = {
  name: 'set',
  short: 'Set an individual value in a connection file',
  long: 'Set a single value of a connection file.\n\n PROPERTY_NAME is the path of the field, with dots between its parts. Data fields take base64, unless --set-raw-bytes is given.',
  examples: '# Set the address of a cluster\n{} config set clusters.my-cluster.server https://1.2.3.4',
  usage: 'PROPERTY_NAME PROPERTY_VALUE',
  flags: [
    {
      name: 'set-raw-bytes',
      type: 'bool',
      optional: 'true',
      help: 'Take the value of a data field as it is; by default it must be base64',
    },
  ],
  run: async (invocation) => {
    const [property, value] = exactly(invocation, 2) as [string, string];
    const { flags, io } = invocation;
    setProperty(new ConfigFiles(flags, io), property, value, flags.bool('set-raw-bytes'));
    io.out.write(`Property "${property}" set.\n`);
    return undefined;
  },
};

export const unset: Command = {
  name: 'unset',
  short: 'Unset an individual value in a connection file',
  long: 'Unset a single value of a connection file.\n\n PROPERTY_NAME is the path of the field, with dots between its parts.',
  examples: '# Remove the current context\n{} config unset current-context',
  usage: 'PROPERTY_NAME',
  run: async (invocation) => {
    const [property] = exactly(invocation, 1) as [string];
    const { flags, io } = invocation;
    unsetProperty(new ConfigFiles(flags, io), property);
    io.out.write(`Property "${property}" unset.\n`);
    return undefined;
  },
};
