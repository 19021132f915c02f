import { dns1123Subdomain, portName } from '#schema/validation/names.ts';
import { countOrText } from '#schema/values/int-or-string.ts';
import { type Command, entryOf, type Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import { type Generator, generatorCommand } from './generator.ts';

const tcpFlag: Flag = {
  name: 'tcp',
  type: 'strings',
  help: 'Port of the service: port or port:targetPort; may be repeated',
};

const MOST = 65_535;

/** The port on which a container listens, as a number or a name. @throws CommandError if the text is neither */
function targetOf(text: string): number | string {
  const target = countOrText(text);
  if (typeof target === 'string') {
    const problems = portName(target);
    if (problems.length > 0) throw new CommandError(problems.join(','));
  } else if (target < 1 || target > MOST) throw new CommandError(`must be between 1 and ${MOST}, inclusive`);
  return target;
}

function portsOf(texts: readonly string[], nodePort: number): object[] {
  return texts.map((text) => {
    const [own = '', target] = text.split(':');
    const parsing = `strconv.ParseUint: parsing ${JSON.stringify(own)}`;
    if (!/^\d+$/.test(own)) throw new CommandError(`${parsing}: invalid syntax`);
    if (Number(own) > MOST) throw new CommandError(`${parsing}: value out of range`);
    return {
      name: text.replaceAll(':', '-'),
      ...(nodePort === 0 ? {} : { nodePort }),
      ...{ port: Number(own), protocol: 'TCP', targetPort: target === undefined ? Number(own) : targetOf(target) },
    };
  });
}

/** @param portless whether the service may have no ports */
function described(name: string, type: string, { flags }: Invocation, more: object, portless: boolean) {
  const tcp = flags.list('tcp');
  if (tcp.length === 0 && !portless) throw new CommandError('at least one tcp port specifier must be provided');
  const ports = portsOf(tcp, flags.knows('node-port') ? flags.int('node-port') : 0);
  const selector = { app: name };
  return {
    metadata: { labels: selector },
    spec: { ...more, ...(ports.length === 0 ? {} : { ports }), selector, type },
    status: { loadBalancer: {} },
  };
}

const of = { apiVersion: 'v1', kind: 'Service', namespaced: true } as const;

const clusterIp: Generator = {
  name: 'clusterip',
  short: 'Create a ClusterIP service',
  usage: '[--tcp=<port>:<targetPort>] [--dry-run=server|client|none]',
  examples: '# Forward port 80 to port 8080 of the pods\n{} create service clusterip web --tcp=80:8080',
  flags: [
    {
      name: 'clusterip',
      type: 'string',
      help: 'Cluster IP of the service, or None; by default the server chooses an address',
    },
    tcpFlag,
  ],
  ...of,
  failure: 'failed to create ClusterIP service:',
  describe: (name, invocation) => {
    const address = invocation.flags.text('clusterip');
    const more = address === '' ? {} : { clusterIP: address };
    return described(name, 'ClusterIP', invocation, more, address === 'None');
  },
};

const nodePort: Generator = {
  name: 'nodeport',
  short: 'Create a NodePort service',
  usage: '[--tcp=port:targetPort] [--dry-run=server|client|none]',
  examples: '# A service on a port of every node\n{} create service nodeport web --tcp=80:8080',
  flags: [
    { name: 'node-port', type: 'int', default: 0, help: 'Port on every node; 0 leaves the choice to the server' },
    tcpFlag,
  ],
  ...of,
  failure: 'failed to create NodePort service:',
  describe: (name, invocation) => described(name, 'NodePort', invocation, {}, false),
};

const loadBalancer: Generator = {
  name: 'loadbalancer',
  short: 'Create a LoadBalancer service',
  usage: '[--tcp=port:targetPort] [--dry-run=server|client|none]',
  examples: '# A service behind a load balancer\n{} create service loadbalancer web --tcp=80:8080',
  flags: [tcpFlag],
  ...of,
  failure: 'failed to create LoadBalancer service:',
  describe: (name, invocation) => described(name, 'LoadBalancer', invocation, {}, false),
};

const externalName: Generator = {
  name: 'externalname',
  short: 'Create an ExternalName service',
  usage: '--external-name external.name [--dry-run=server|client|none]',
  examples: '# Another name for an external host\n{} create service externalname db --external-name db.example.com',
  flags: [{ name: 'external-name', type: 'string', help: 'Host name that the service points to' }, tcpFlag],
  required: ['external-name'],
  ...of,
  failure: 'failed to create ExternalName service:',
  describe: (name, invocation) => {
    const externalName = invocation.flags.text('external-name');
    if (dns1123Subdomain(externalName).length > 0)
      throw new CommandError(`invalid service external name ${externalName}`);
    return described(name, 'ExternalName', invocation, { externalName }, true);
  },
};

export const service: Command = {
  ...{
    name: 'service',
    aliases: ['svc'],
    short: 'Create a service using a specified subcommand',
    needsSubcommand: true,
  },
  usage: '[flags]',
  subcommands: [clusterIp, externalName, loadBalancer, nodePort].map((generator) =>
    entryOf(generatorCommand(generator)),
  ),
};
