import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { type Command, entryOf } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { toJson } from '../output/json.ts';
import { withoutManaged } from '../output/printer.ts';
import { toYaml } from '../output/yaml.ts';

/** What a dump holds of every namespace. */
const DUMPED: readonly (readonly [group: string, plural: string, kind: string])[] = [
  ['', 'events', 'Event'],
  ['', 'replicationcontrollers', 'ReplicationController'],
  ['', 'services', 'Service'],
  ['apps', 'daemonsets', 'DaemonSet'],
  ['apps', 'deployments', 'Deployment'],
  ['apps', 'replicasets', 'ReplicaSet'],
  ['', 'pods', 'Pod'],
];

const dump: Command = {
  name: 'dump',
  short: 'Dump relevant information for debugging and diagnosis',
  examples:
    '# Everything that helps to find out what is wrong, into a folder\n{} cluster-info dump --output-directory=/tmp/state',
  flags: [
    { name: 'all-namespaces', short: 'A', type: 'bool', help: 'Dump all namespaces' },
    { name: 'namespaces', type: 'strings', help: 'Namespaces to dump' },
    { name: 'output', short: 'o', type: 'string', default: 'json', help: 'Form of the output. One of: (json, yaml).' },
    { name: 'output-directory', type: 'string', help: 'Folder for the files; - for standard output' },
  ],
  run: async ({ flags, io, session }) => {
    const format = flags.text('output');
    if (!['json', 'yaml'].includes(format)) throw new CommandError(`--output must be json or yaml, not ${format}`);
    const folder = flags.text('output-directory');
    const toFiles = folder !== '' && folder !== '-';
    const write = (name: string, object: ApiObject) => {
      const text = format === 'json' ? toJson(withoutManaged(object)) : toYaml(withoutManaged(object));
      if (!toFiles) {
        io.out.write(text);
        return;
      }
      const file = path.join(folder, `${name}.${format}`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    const client = await session.client();
    const discovered = await session.discovered();
    const list = async (group: string, plural: string, kind: string, namespace?: string): Promise<ApiObject> => {
      const type = discovered.types.find((each) => each.group === group && each.plural === plural);
      const apiVersion = group === '' ? 'v1' : `${group}/${type?.version ?? 'v1'}`;
      const items = type === undefined ? [] : (await client.resource(type).in(namespace).list()).items;
      return { kind: `${kind}List`, apiVersion, metadata: {}, items } as unknown as ApiObject;
    };
    write('nodes', await list('', 'nodes', 'Node'));
    const named = flags.list('namespaces');
    const all = async () =>
      ((await list('', 'namespaces', 'Namespace'))['items'] as ApiObject[]).map(({ metadata }) => metadata.name!);
    const system = client.naming.prefixed('system');
    const namespaces = flags.bool('all-namespaces')
      ? await all()
      : named.length > 0
        ? named
        : [...new Set([system, session.namespace])];
    for (const namespace of namespaces)
      for (const [group, plural, kind] of DUMPED)
        write(path.join(namespace, plural), await list(group, plural, kind, namespace));
    if (toFiles) io.out.write(`Cluster info dumped to ${folder}\n`);
    return undefined;
  },
};

export const clusterInfo: Command = {
  name: 'cluster-info',
  short: 'Display cluster information',
  long: 'Display addresses of the control plane and of the services that say that they belong to it. To debug further, use "{} cluster-info dump".',
  examples: '# Where the control plane is\n{} cluster-info',
  subcommands: [entryOf(dump)],
  run: async ({ session, io }) => {
    const client = await session.client();
    const { naming } = client;
    const { server } = session.settings.connection.cluster;
    const [name, place] = coloured(io.out.columns !== undefined && !io.env['NO_COLOR']);
    const selector = encodeURIComponent(`${naming.key('cluster-service')}=true`);
    const system = naming.prefixed('system');
    const { items } = await client.getJson<{ items?: ApiObject[] | null }>(
      `/api/v1/namespaces/${system}/services?labelSelector=${selector}`,
    );
    const product = naming.product[0]!.toUpperCase() + naming.product.slice(1);
    io.out.write(`${name(`${product} control plane`)} is running at ${place(server)}\n`);
    for (const { metadata } of items ?? []) {
      const shown = metadata.labels?.[naming.key('name')] ?? metadata.name ?? '';
      io.out.write(
        `${name(shown)} is running at ${place(`${server}/api/v1/namespaces/${system}/services/${metadata.name}/proxy`)}\n`,
      );
    }
    io.out.write("\nTo further debug and diagnose cluster problems, use 'orchctl cluster-info dump'.\n");
    return undefined;
  },
};

function coloured(yes: boolean): [(text: string) => string, (text: string) => string] {
  const wrap = (code: string) => (text: string) => (yes ? `\u001b[${code}m${text}\u001b[0m` : text);
  return [wrap('0;32'), wrap('0;33')];
}
