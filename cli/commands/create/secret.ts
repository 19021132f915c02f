import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from '../../command-line/command.ts';
import { entryOf } from '../../command-line/command.ts';
import { nameHash } from '../../content/name-hash.ts';
import { readSources, secretWords, sourceFlags, sourcesOf } from '../../content/sources.ts';
import { CommandError } from '../../framework/errors.ts';
import { fileWords } from '../../framework/file-words.ts';
import { toCompactJson } from '../../manifests/json.ts';
import { type Described, type Generator, generatorCommand } from './generator.ts';

const of = { apiVersion: 'v1', kind: 'Secret', namespaced: true, failure: 'failed to create secret' } as const;

function described(name: string, type: string, values: ReadonlyMap<string, Buffer>, hashed: boolean): Described {
  const data = Object.fromEntries(
    [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, value.toString('base64')]),
  );
  const hash = nameHash({ data, kind: 'Secret', name, type });
  return {
    ...(hashed ? { metadata: { name: `${name}-${hash}` } } : {}),
    ...(values.size === 0 ? {} : { data }),
    ...(type === '' ? {} : { type }),
  };
}

const generic: Generator = {
  name: 'generic',
  short: 'Create a secret from a local file, directory, or literal value',
  usage: '[--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]',
  examples: '# A password\n{} create secret generic database --from-literal=password=s3cret',
  flags: [...sourceFlags, { name: 'type', type: 'string', help: 'The type of the secret' }],
  ...of,
  describe: (name, { flags }) =>
    described(name, flags.text('type'), readSources(sourcesOf(flags), secretWords), flags.bool('append-hash')),
};

const hashFlag = { name: 'append-hash', type: 'bool', help: 'Add a hash of the content to the name' } as const;

const DOCKER_KEY = '.dockerconfigjson';

const dockerRegistry: Generator = {
  name: 'docker-registry',
  short: 'Create a secret for use with a Docker registry',
  usage:
    '--docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]',
  examples:
    '# Credentials of a registry\n{} create secret docker-registry pull --docker-server=registry.example.com --docker-username=me --docker-password=s3cret',
  flags: [
    hashFlag,
    { name: 'docker-email', type: 'string', help: 'Email address of the user at the registry' },
    { name: 'docker-password', type: 'string', help: 'Password of the user at the registry' },
    { name: 'docker-server', type: 'string', default: 'https://index.docker.io/v1/', help: 'Address of the registry' },
    { name: 'docker-username', type: 'string', help: 'Name of the user at the registry' },
    { name: 'from-file', type: 'strings', help: 'File with the whole configuration, as .dockerconfigjson=file' },
  ],
  ...of,
  async describe(name, { flags, session }) {
    const type = (await session.naming()).key('dockerconfigjson');
    const append = flags.bool('append-hash');
    if (flags.list('from-file').length > 0) {
      const files = flags.list('from-file').map((file) => (file.includes('=') ? file : `${DOCKER_KEY}=${file}`));
      const values = readSources({ files, envFiles: [], literals: [] }, secretWords);
      return described(name, type, values, append);
    }
    const [username, password] = [flags.text('docker-username'), flags.text('docker-password')];
    const server = flags.text('docker-server');
    if (username === '' || password === '' || server === '')
      throw new CommandError(
        'either --from-file or the combination of --docker-username, --docker-password and --docker-server is required',
      );
    const email = flags.text('docker-email');
    const auth = Buffer.from(`${username}:${password}`).toString('base64');
    const entry = { username, password, ...(email === '' ? {} : { email }), auth };
    const text = toCompactJson({ auths: { [server]: entry } }, false);
    return described(name, type, new Map([[DOCKER_KEY, Buffer.from(text)]]), append);
  },
};

function readPem(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandError(`Cannot read file ${file}, ${fileWords(error, file)}`);
  }
}

/** @throws CommandError if the certificate or the key is not valid, or they do not belong together */
function checkPair(cert: Buffer, key: Buffer): void {
  const blocks = (bytes: Buffer) =>
    [...bytes.toString('latin1').matchAll(/-----BEGIN ([^-]+)-----/g)].map(([, type]) => type!);
  const isKey = (type: string) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
  const [certificates, keys] = [blocks(cert), blocks(key)];
  const noPem = (what: string) => new CommandError(`tls: failed to find any PEM data in ${what} input`);
  if (certificates.length === 0) throw noPem('certificate');
  if (!certificates.includes('CERTIFICATE'))
    throw new CommandError(
      certificates.length === 1 && isKey(certificates[0]!)
        ? 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
        : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${certificates.join(' ')}]`,
    );
  if (keys.length === 0) throw noPem('key');
  if (!keys.some(isKey))
    throw new CommandError(
      keys.length === 1 && keys[0] === 'CERTIFICATE'
        ? 'tls: found a certificate rather than a key in the PEM for the private key'
        : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${keys.join(' ')}]`,
    );
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    throw new CommandError('tls: failed to parse private key');
  }
  if (!fits) throw new CommandError('tls: private key does not match public key');
}

const tls: Generator = {
  name: 'tls',
  short: 'Create a TLS secret',
  usage: '--cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]',
  examples: '# A certificate and its key\n{} create secret tls web --cert=web.crt --key=web.key',
  flags: [
    hashFlag,
    { name: 'cert', type: 'string', help: 'File with the certificate, in PEM' },
    { name: 'key', type: 'string', help: 'File with its private key, in PEM' },
  ],
  ...of,
  async describe(name, { flags, session }) {
    const [certFile, keyFile] = [flags.text('cert'), flags.text('key')];
    if (certFile === '' || keyFile === '') throw new CommandError('key and cert must be specified');
    const [cert, key] = [readPem(certFile), readPem(keyFile)];
    checkPair(cert, key);
    const type = (await session.naming()).key('tls');
    const values = new Map([
      ['tls.crt', cert],
      ['tls.key', key],
    ]);
    return described(name, type, values, flags.bool('append-hash'));
  },
};

export const secret: Command = {
  name: 'secret',
  short: 'Create a secret using a specified subcommand',
  long: 'Create a secret with specified type.\n\n A docker-registry type secret is for accessing a container registry.\n\n A generic type secret indicate an Opaque secret type.\n\n A tls type secret holds TLS certificate and its associated key.',
  usage: '(docker-registry | generic | tls)',
  needsSubcommand: true,
  subcommands: [dockerRegistry, generic, tls].map((generator) => entryOf(generatorCommand(generator))),
};
