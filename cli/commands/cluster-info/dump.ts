import { createWriteStream } from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ApiError } from '#client/errors.ts';
import { writeTo } from '#client/streams/web-socket.ts';
import { makeFolder } from '#program/files/make-folder.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { fileWords } from '../../framework/file-words.ts';
import { plainAnswer } from '../../framework/plain-answer.ts';
import { outputFlags, printerFor, typedJson } from '../../output/printer.ts';
import { allNamespacesFlag } from '../../resources/flags.ts';
import { runningTimeoutFlag } from '../../streams/flags.ts';
import { passLog } from '../../streams/pass-log.ts';
import { asTyped } from '../../typed/typed-object.ts';

/** A list in a dump, and the name of its file. */
interface Dumped {
  readonly group: string;
  readonly kind: string;
  readonly file: string;
}

const NODES: Dumped = { group: '', kind: 'Node', file: 'nodes' };
/** The lists of each namespace. Pods come last, because their logs follow. */
const LISTS: readonly Dumped[] = [
  { group: '', kind: 'Event', file: 'events' },
  { group: '', kind: 'ReplicationController', file: 'replication-controllers' },
  { group: '', kind: 'Service', file: 'services' },
  { group: 'apps', kind: 'DaemonSet', file: 'daemonsets' },
  { group: 'apps', kind: 'Deployment', file: 'deployments' },
  { group: 'apps', kind: 'ReplicaSet', file: 'replicasets' },
  { group: '', kind: 'Pod', file: 'pods' },
];

export const dump: Command = {
  name: 'dump',
  short: 'Dump relevant information for debugging and diagnosis',
  long: 'Shows the nodes, and the objects and pod logs of namespaces: by default of the system namespace and the current namespace. With --output-directory the output goes to files, in folders by namespace and pod.',
  examples:
    '# Write all information for troubleshooting to a folder\n{} cluster-info dump --output-directory=/tmp/state\n\n# Dump two namespaces\n{} cluster-info dump --namespaces=default,web',
  flags: [
    allNamespacesFlag,
    {
      name: 'namespaces',
      type: 'strings',
      help: 'Namespaces to dump; by default the system namespace and the current namespace',
    },
    ...outputFlags().map((flag) => (flag.name === 'output' ? { ...flag, default: 'json' } : flag)),
    {
      name: 'output-directory',
      type: 'string',
      help: 'Folder to write the files to; by default, and with -, standard output',
    },
    runningTimeoutFlag('20s'),
  ],
  run,
};

/** Writes to a file of the dump, or to standard output. */
type Write = (file: string, write: (to: Writable) => Promise<void>) => Promise<void>;

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, io } = invocation;
  const print = await printOf(invocation);
  const folder = flags.text('output-directory');
  const write: Write = async (file, put) => {
    if (folder === '' || folder === '-') return put(io.streams.output);
    await intoFile(path.join(folder, file), put);
  };
  const extension = { json: '.json', yaml: '.yaml' }[flags.text('output')] ?? '.txt';
  const shown = async (of: Dumped, namespace?: string): Promise<ApiObject[]> => {
    const list = await listOf(invocation, of, namespace);
    const text = print(list);
    await write(`${path.join(namespace ?? '', of.file)}${extension}`, (to) => writeTo(to, Buffer.from(text)));
    return (list['items'] ?? []) as ApiObject[];
  };
  await shown(NODES);
  for (const namespace of await namespacesOf(invocation)) {
    let pods: readonly Pod[] = [];
    for (const of of LISTS) pods = (await shown(of, namespace)) as unknown as Pod[];
    for (const pod of pods)
      await write(path.join(namespace, pod.metadata.name!, 'logs.txt'), (to) => logsOf(invocation, pod, to));
  }
  if (folder !== '' && folder !== '-') io.out.write(`Cluster info dumped to ${folder}\n`);
  return undefined;
}

/** The function that prints lists. @throws CommandError for a wrong `-o` */
async function printOf({ flags }: Invocation): Promise<(list: ApiObject) => string> {
  const printer = await printerFor(flags);
  if (flags.text('output') === 'name')
    return ({ kind }) => {
      throw new CommandError(`list types are not supported by name printing: *v1.${kind}`);
    };
  const shown = flags.text('output') === 'json' ? typedJson(flags) : printer!;
  return (list) => shown.print(list);
}

/** @throws CommandError if the file cannot be written */
async function intoFile(file: string, put: (to: Writable) => Promise<void>): Promise<void> {
  try {
    makeFolder(path.dirname(file));
  } catch (error) {
    throw new CommandError(fileWords(error, path.dirname(file)));
  }
  const stream = createWriteStream(file);
  const written = finished(stream).catch((error: unknown) => {
    throw new CommandError(fileWords(error, file));
  });
  try {
    await Promise.race([put(stream), written]);
  } finally {
    stream.end();
  }
  await written;
}

async function namespacesOf(invocation: Invocation): Promise<readonly string[]> {
  const { flags, session } = invocation;
  if (flags.bool('all-namespaces')) {
    const all = await listOf(invocation, { group: '', kind: 'Namespace', file: '' });
    return (all['items'] as ApiObject[]).map(({ metadata }) => metadata.name!);
  }
  const named = flags.list('namespaces');
  return named.length > 0 ? named : [(await session.client()).naming.prefixed('system'), session.namespace];
}

/** A list in the form that programs with declared types write. */
async function listOf({ session }: Invocation, { group, kind }: Dumped, namespace?: string): Promise<ApiObject> {
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  const type = await session.typeOf(apiVersion, kind);
  if (type === undefined) throw new CommandError(`the server has no ${kind} of ${apiVersion}`);
  const client = await session.client();
  const { requestTimeoutMs: timeoutMs } = session.settings;
  const { metadata, items } = await client.resource(type).in(namespace).list({ timeoutMs });
  const message = loadSchema(await session.naming()).kind(group, 'v1', kind);
  const typed = items.map(({ kind: _, apiVersion: __, ...item }) =>
    message === undefined ? item : asTyped(item, message),
  );
  // Programs with declared types write an empty list as null.
  const shown = typed.length === 0 ? null : typed;
  return asObject({ kind: `${kind}List`, apiVersion, metadata, items: shown });
}

/** The logs of all containers of a pod. A line before and a line after each log name its container. */
async function logsOf(invocation: Invocation, { metadata, spec }: Pod, to: Writable): Promise<void> {
  const { name = '', namespace = '' } = metadata;
  for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    const line = (what: string) =>
      writeTo(to, Buffer.from(`==== ${what} logs for container ${container.name} of pod ${namespace}/${name} ====\n`));
    await line('START');
    const source = { namespace, pod: name, container: container.name };
    await passLog(invocation, source, { to }).catch(async (error: unknown) => {
      invocation.io.signal.throwIfAborted();
      await writeTo(to, Buffer.from(`Request log error: ${refusal(error as Error, name)}\n`));
    });
    await line('END');
  }
}

/**
 * The text in place of a missing log, in the form of the field's dumps. It depends on the code only, not on the text of
 * the answer.
 */
function refusal(error: Error, pod: string): string {
  if (!(error instanceof ApiError)) return error.message;
  return `${plainAnswer(error.code, JSON.stringify(error.status)).message} (get pods ${pod})`;
}
